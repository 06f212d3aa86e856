/**
 * Index entries: where a transaction is, and what an account took part in. Three a transaction or more: the ledger's hot path.
 *
 *   transaction   table | transaction id (32) | block tag (16)                       -> height u64, index u32, check u32
 *   account       table | length | account | height u64 | index u32 | block tag (16) -> transaction id (32), check u32
 *
 * They are written with the block, before it is committed, so that commit itself stays small; rivals may hold the same
 * transaction, so the tag (the first half of the block id) keeps their entries apart, and a reader takes only those whose tag is
 * that of the committed block at their height. The check is FNV-1a over key and value: each of its steps is a bijection of
 * the hash, so no damage within one byte passes, and other damage once in 2^32.
 */
import type { KeyValueEntry, KeyValueOperation } from '@slipstream/ports';
import { type BlockId, type Height, height, type TransactionId } from '@slipstream/types';
import { readUint32be, readUint64be, TABLES, writeUint32be, writeUint64be } from './keys.ts';
import { transactionIdOfReceipt } from './records.ts';
import { corrupt } from './sealed-store.ts';
import type { ExecutedBlock } from './write-operations.ts';

/** Where a transaction is: its receipt is the one at `index` of the block at `height`. */
export interface TransactionPlace {
  readonly height: Height;
  readonly index: number;
  /** Of the block; other blocks may claim the same transaction until one of them is committed. */
  readonly tag: Uint8Array;
}

export interface AccountEntry extends TransactionPlace {
  readonly transactionId: TransactionId;
}

const ID_BYTES = 32;
/** Two blocks of one tag would take 2^64 tries to find. */
const TAG_BYTES = 16;
const CHECK_BYTES = 4;
const PLACE_BYTES = 12;

export function tagOf(blockId: BlockId): Uint8Array {
  return blockId.subarray(0, TAG_BYTES);
}

/** Puts an entry for each receipt, and for each of its accounts. */
export function indexOperations({ blockId, block, receipts, accounts }: ExecutedBlock): readonly KeyValueOperation[] {
  const operations: KeyValueOperation[] = [];
  const tag = tagOf(blockId);
  for (let index = 0; index < receipts.length; index++) {
    const id = transactionIdOfReceipt(receipts[index] as Uint8Array);
    const key = transactionKey(id, tag);
    operations.push({ type: 'put', key, value: placeValue(key, block.height, index) });
    for (const account of accounts[index] ?? []) {
      const accountKey = accountEntryKey(account, block.height, index, tag);
      operations.push({ type: 'put', key: accountKey, value: idValue(accountKey, id) });
    }
  }
  return operations;
}

/** Bounds of all entries of a transaction. */
export function transactionBounds(id: TransactionId): { readonly from: Uint8Array; readonly to: Uint8Array } {
  return { from: transactionKey(id, new Uint8Array(TAG_BYTES)), to: transactionKey(id, ABOVE_TAGS) };
}

/** Bounds of the entries of an account below a height and index. */
export function accountBounds(
  account: Uint8Array,
  before: { readonly height: number; readonly index: number },
): { readonly from: Uint8Array; readonly to: Uint8Array } {
  const lowest = new Uint8Array(TAG_BYTES);
  return {
    from: accountEntryKey(account, 0, 0, lowest),
    to: accountEntryKey(account, before.height, before.index, lowest),
  };
}

/** Throws LedgerError `corrupt`. */
export function readPlace({ key, value }: KeyValueEntry): TransactionPlace {
  checked(key, value, PLACE_BYTES);
  return { height: height(readUint64be(value, 0)), index: readUint32be(value, 8), tag: key.subarray(-TAG_BYTES) };
}

/** Throws LedgerError `corrupt`. */
export function readAccountEntry({ key, value }: KeyValueEntry): AccountEntry {
  checked(key, value, ID_BYTES);
  const at = key.length - TAG_BYTES - PLACE_BYTES;
  return {
    transactionId: value.subarray(0, ID_BYTES) as TransactionId,
    height: height(readUint64be(key, at)),
    index: readUint32be(key, at + 8),
    tag: key.subarray(-TAG_BYTES),
  };
}

const ABOVE_TAGS = new Uint8Array(TAG_BYTES + 1).fill(255);

function transactionKey(id: TransactionId, tag: Uint8Array): Uint8Array {
  const key = new Uint8Array(1 + ID_BYTES + tag.length);
  key[0] = TABLES.transaction;
  key.set(id, 1);
  key.set(tag, 1 + ID_BYTES);
  return key;
}

/** The length in front makes no account's keys begin with another's. */
function accountEntryKey(account: Uint8Array, at: number, index: number, tag: Uint8Array): Uint8Array {
  const head = 2 + account.length;
  const key = new Uint8Array(head + PLACE_BYTES + TAG_BYTES);
  key[0] = TABLES.account;
  key[1] = account.length;
  key.set(account, 2);
  writeUint64be(key, head, at);
  writeUint32be(key, head + 8, index);
  key.set(tag, head + PLACE_BYTES);
  return key;
}

function placeValue(key: Uint8Array, at: number, index: number): Uint8Array {
  const value = new Uint8Array(PLACE_BYTES + CHECK_BYTES);
  writeUint64be(value, 0, at);
  writeUint32be(value, 8, index);
  writeUint32be(value, PLACE_BYTES, checkOf(key, value, PLACE_BYTES));
  return value;
}

function idValue(key: Uint8Array, id: TransactionId): Uint8Array {
  const value = new Uint8Array(ID_BYTES + CHECK_BYTES);
  value.set(id);
  writeUint32be(value, ID_BYTES, checkOf(key, value, ID_BYTES));
  return value;
}

function checked(key: Uint8Array, value: Uint8Array, bytes: number): void {
  if (value.length !== bytes + CHECK_BYTES || readUint32be(value, bytes) !== checkOf(key, value, bytes)) {
    throw corrupt(key, 'an index entry that disagrees with its check');
  }
}

/** Source: G. Fowler, L. C. Noll, K.-P. Vo, FNV-1a with 32 bits. */
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

function checkOf(key: Uint8Array, value: Uint8Array, valueBytes: number): number {
  let hash = FNV_OFFSET;
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ (key[i] as number), FNV_PRIME);
  for (let i = 0; i < valueBytes; i++) hash = Math.imul(hash ^ (value[i] as number), FNV_PRIME);
  return hash >>> 0;
}
