/** Transactions by id and by account, and batches by the id of a row, from the blocks that may hold them (block-index.ts), newest first. */
import { bytesEqual } from '@slipstream/primitives';
import { type BlockId, type Height, height, type Receipt, receiptCodec, type TransactionId } from '@slipstream/types';
import { eachAccount } from './account-lists.ts';
import { accountIndexKey, heightsWith, type IndexKey, transactionIndexKey } from './block-index.ts';
import { batchesIn, bodyAt, readTip } from './chain-reads.ts';
import type { NewestBlocksIndex } from './newest-blocks.ts';
import { packedItem, placeBeginning, secondList } from './packed-list.ts';
import type { LedgerTip } from './records.ts';
import { bodyKey, decodeOr, type SealedStore } from './sealed-store.ts';

export interface LedgerTransaction {
  readonly blockId: BlockId;
  readonly height: Height;
  readonly index: number;
  readonly receipt: Receipt;
}

/** A distilled batch that ran. */
export interface LedgerBatch {
  readonly blockId: BlockId;
  readonly height: Height;
  /** Among the batches of its block that ran. */
  readonly index: number;
  /** Of all of them, in order. */
  readonly records: readonly Uint8Array[];
}

export interface AccountCursor {
  readonly height: number;
  readonly index: number;
}

/** Newest first. */
export interface AccountPage {
  readonly entries: readonly LedgerTransaction[];
  /** `before` of the next page; undefined at the end. */
  readonly next: AccountCursor | undefined;
}

export interface LookUp {
  readonly store: SealedStore;
  readonly newest: NewestBlocksIndex;
}

async function* heightsToRead({ store, newest }: LookUp, tip: LedgerTip, key: IndexKey, highest?: number) {
  for await (const at of heightsWith(store, tip, key, highest)) {
    if (await newest.mayContain(tip, at, key)) yield at;
  }
}

/** What an id of 32 bytes names. */
export type LedgerEntry =
  | { readonly type: 'transaction'; readonly transaction: LedgerTransaction }
  | { readonly type: 'row'; readonly batch: LedgerBatch };

/** What the id of a row has of its batch's. */
const BATCH_PART_BYTES = 28;

/** One pass for both, because a client does not say which it asks about. The id of a row begins as its batch's. */
export async function entryById(lookUp: LookUp, id: Uint8Array): Promise<LedgerEntry | undefined> {
  const { store } = lookUp;
  const tip = await readTip(store);
  if (tip === undefined) return undefined;
  for await (const at of heightsToRead(lookUp, tip, transactionIndexKey(id))) {
    const found = await bodyAt(store, at);
    // Pruned after its span was read.
    if (found === undefined) continue;
    const { blockId, body } = found;
    const { receipts } = body;
    const place = placeBeginning(receipts, id);
    if (place !== undefined) return { type: 'transaction', transaction: transactionAt(receipts, blockId, at, place) };
    const batches = secondList(receipts);
    const index = batches && placeBeginning(batches, id.subarray(0, BATCH_PART_BYTES));
    if (index === undefined) continue;
    return { type: 'row', batch: { blockId, height: height(at), index, records: batchesIn(receipts) } };
  }
  return undefined;
}

export async function transactionById(
  lookUp: LookUp,
  transactionId: TransactionId,
): Promise<LedgerTransaction | undefined> {
  const entry = await entryById(lookUp, transactionId);
  return entry?.type === 'transaction' ? entry.transaction : undefined;
}

export async function batchOfRow(lookUp: LookUp, rowId: Uint8Array): Promise<LedgerBatch | undefined> {
  const entry = await entryById(lookUp, rowId);
  return entry?.type === 'row' ? entry.batch : undefined;
}

function transactionAt(receipts: Uint8Array, blockId: BlockId, at: number, index: number): LedgerTransaction {
  const receipt = decodeOr(bodyKey(blockId), receiptCodec, packedItem(receipts, index));
  return { blockId, height: height(at), index, receipt };
}

/** `account`: accountKeyBytes of types. */
export async function accountPage(
  lookUp: LookUp,
  account: Uint8Array,
  { before, limit }: { readonly before?: AccountCursor; readonly limit: number },
): Promise<AccountPage> {
  const { store } = lookUp;
  const entries: LedgerTransaction[] = [];
  const tip = await readTip(store);
  if (tip === undefined) return { entries, next: undefined };
  for await (const at of heightsToRead(lookUp, tip, accountIndexKey(account), before?.height)) {
    const found = await bodyAt(store, at);
    if (found === undefined) continue;
    const { blockId } = found;
    const { receipts, accounts } = found.body;
    for (const index of receiptIndexesOf(accounts, account).reverse()) {
      if (at === before?.height && index >= before.index) continue;
      entries.push(transactionAt(receipts, blockId, at, index));
      if (entries.length === limit) return { entries, next: { height: at, index } };
    }
  }
  return { entries, next: undefined };
}

/** Indexes of the receipts in the account's history. */
function receiptIndexesOf(accounts: Uint8Array, account: Uint8Array): number[] {
  const places: number[] = [];
  eachAccount(accounts, (place, start, end) => {
    if (bytesEqual(accounts.subarray(start, end), account)) places.push(place);
  });
  return places;
}
