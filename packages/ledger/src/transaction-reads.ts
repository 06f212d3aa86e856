/** Transactions by id and by account. */
import { bytesEqual } from '@slipstream/primitives';
import { type BlockId, type Height, height, type Receipt, receiptCodec, type TransactionId } from '@slipstream/types';
import { blockIdAt } from './chain-reads.ts';
import { accountEntryKey, accountPrefix, keyOf, readUint32be, readUint64be } from './keys.ts';
import { packedItem } from './packed-list.ts';
import { placeCodec } from './records.ts';
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

export async function transactionById(
  store: SealedStore,
  transactionId: TransactionId,
): Promise<LedgerTransaction | undefined> {
  const place = await store.read(keyOf('transaction', transactionId), placeCodec);
  const blockId = place && (await blockIdAt(store, place.height));
  if (place === undefined || blockId === undefined) return undefined;
  const key = keyOf('receipts', blockId);
  const packed = await store.get(key);
  // Pruned between two reads: the block went after its index was read.
  if (packed === undefined) return undefined;
  const receipt = decodeOr(key, receiptCodec, packedItem(packed, place.index));
  if (!bytesEqual(receipt.transactionId, transactionId)) throw corrupt(key, 'a receipt of another transaction');
  return { blockId, height: place.height, index: place.index, receipt };
}

/** `account` is accountKeyBytes of types. */
export async function accountPage(
  store: SealedStore,
  account: Uint8Array,
  options: { readonly before?: AccountCursor; readonly limit: number },
): Promise<AccountPage> {
  const prefix = accountPrefix(account);
  const before = options.before ?? { height: Number.MAX_SAFE_INTEGER, index: 0 };
  const found = await store.range({
    from: prefix,
    to: accountEntryKey(account, before.height, before.index),
    limit: options.limit,
    reverse: true,
  });
  const entries = found.map(({ key, value }) => ({
    transactionId: value as TransactionId,
    height: height(readUint64be(key, prefix.length)),
    index: readUint32be(key, prefix.length + 8),
  }));
  const last = entries[entries.length - 1];
  const next = entries.length === options.limit && last ? { height: last.height, index: last.index } : undefined;
  return { entries, next };
}
