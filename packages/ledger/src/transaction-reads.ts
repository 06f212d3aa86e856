/** Transactions by id and by account: index entries, as far as their block is the committed one (index-entries.ts). */
import { bytesEqual } from '@slipstream/primitives';
import { type BlockId, type Height, type Receipt, receiptCodec, type TransactionId } from '@slipstream/types';
import { blockIdAt } from './chain-reads.ts';
import {
  accountBounds,
  readAccountEntry,
  readPlace,
  type TransactionPlace,
  tagOf,
  transactionBounds,
} from './index-entries.ts';
import { keyOf } from './keys.ts';
import { packedItem } from './packed-list.ts';
import { corrupt, decodeOr, type SealedStore } from './sealed-store.ts';

export interface LedgerTransaction {
  readonly blockId: BlockId;
  readonly height: Height;
  readonly index: number;
  readonly receipt: Receipt;
}

export interface AccountCursor {
  readonly height: number;
  readonly index: number;
}

/** Newest first. */
export interface AccountPage {
  readonly entries: readonly {
    readonly transactionId: TransactionId;
    readonly height: Height;
    readonly index: number;
  }[];
  /** Pass it as `before` for the next page; undefined at the end. */
  readonly next: AccountCursor | undefined;
}

/** Entries of one transaction: the committed one, and those of blocks still on their way that hold it too. */
const RIVAL_ENTRIES_MAX = 256;

export async function transactionById(
  store: SealedStore,
  transactionId: TransactionId,
): Promise<LedgerTransaction | undefined> {
  const entries = await store.unsealed({ ...transactionBounds(transactionId), limit: RIVAL_ENTRIES_MAX });
  for (const place of entries.map(readPlace)) {
    const blockId = await committedBlock(store, place);
    if (blockId !== undefined) return readTransaction(store, blockId, place, transactionId);
  }
  return undefined;
}

async function committedBlock(store: SealedStore, place: TransactionPlace): Promise<BlockId | undefined> {
  const blockId = await blockIdAt(store, place.height);
  return blockId && bytesEqual(tagOf(blockId), place.tag) ? blockId : undefined;
}

async function readTransaction(
  store: SealedStore,
  blockId: BlockId,
  { height, index }: TransactionPlace,
  transactionId: TransactionId,
): Promise<LedgerTransaction | undefined> {
  const key = keyOf('receipts', blockId);
  const packed = await store.get(key);
  // Pruned between two reads: the block went after its index was read.
  if (packed === undefined) return undefined;
  const receipt = decodeOr(key, receiptCodec, packedItem(packed, index));
  if (!bytesEqual(receipt.transactionId, transactionId)) throw corrupt(key, 'a receipt of another transaction');
  return { blockId, height, index, receipt };
}

/** `account` is accountKeyBytes of types. */
export async function accountPage(
  store: SealedStore,
  account: Uint8Array,
  options: { readonly before?: AccountCursor; readonly limit: number },
): Promise<AccountPage> {
  const { limit } = options;
  const tags = new Map<number, Uint8Array | undefined>();
  const entries: AccountPage['entries'][number][] = [];
  let before: AccountCursor = options.before ?? { height: Number.MAX_SAFE_INTEGER, index: 0 };
  for (;;) {
    const step = await store.unsealed({ ...accountBounds(account, before), limit, reverse: true });
    for (const { transactionId, height, index, tag } of step.map(readAccountEntry)) {
      before = { height, index };
      if (!tags.has(height)) tags.set(height, await tagAt(store, height));
      const committed = tags.get(height);
      if (committed === undefined || !bytesEqual(committed, tag)) continue;
      entries.push({ transactionId, height, index });
      if (entries.length === limit) return { entries, next: before };
    }
    if (step.length < limit) return { entries, next: undefined };
  }
}

async function tagAt(store: SealedStore, height: Height): Promise<Uint8Array | undefined> {
  const blockId = await blockIdAt(store, height);
  return blockId && tagOf(blockId);
}
