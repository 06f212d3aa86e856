/**
 * Transaction index and account index: which blocks hold a transaction or touch an account, without a write per transaction.
 *
 *   block    its receipts and accounts hold its keys                                           (level 0: no record)
 *   span     16^level heights, aligned: a record for each of 16^level shards of the keys
 *   record   table | level | first height | shard -> for each key: which of the span's 16 parts contain it
 *
 *   search:  the newest span --16 bits--> its parts --16 bits--> ... --> a block, which is read itself
 *
 * A key is 48 bits of a transaction id, a batch id or an account, so a hit is a hint: the reader compares the full id in the block. Shards grow
 * with their span, so a record holds about as many keys as a block. An account that every block touches costs one entry per span.
 *
 * A span is built from its parts in steps of one shard, each in the batch of a commit. The height alone determines the step, so a crash
 * keeps a commit with its steps or neither. A span is used once its last step is done, its parts until then.
 */
import type { KeyValueOperation } from '@slipstream/ports';
import { assert } from '@slipstream/primitives';
import { eachAccount } from './account-lists.ts';
import { keyOf, uint32be, uint64be } from './keys.ts';
import { eachStart, secondList } from './packed-list.ts';
import type { LedgerTip } from './records.ts';
import { putSealed, type SealedStore } from './sealed-store.ts';

/** Parts of a span, which are the bits of an entry. */
const PARTS = 16;
/** The largest spans have 16.8 million heights. */
const LEVELS_MAX = 6;
const KEY_BITS = 48;
const KEY_BYTES = KEY_BITS / 8;
const ENTRY_BYTES = KEY_BYTES + 2;
const ACCOUNT_SCHEME_BYTES = 1;

export type IndexKey = number;

export function transactionIndexKey(id: Uint8Array): IndexKey {
  return keyAt(id, 0);
}

/** `account`: accountKeyBytes of types. The first byte, the scheme, is skipped as nearly always the same. */
export function accountIndexKey(account: Uint8Array): IndexKey {
  return keyAt(account, ACCOUNT_SCHEME_BYTES);
}

function keyAt(bytes: Uint8Array, at: number): IndexKey {
  let key = 0;
  for (let i = 0; i < KEY_BYTES; i++) key = key * 256 + (bytes[at + i] ?? 0);
  return key;
}

function lengthOf(level: number): number {
  return PARTS ** level;
}

function indexRecordKey(level: number, start: number, shard: number): Uint8Array {
  return keyOf('index', new Uint8Array([level]), uint64be(start), uint32be(shard));
}

function shardOf(key: IndexKey, level: number): number {
  return Math.floor(key / 2 ** (KEY_BITS - 4 * level));
}

/** The steps due in the batch that commits `height`. All lower heights are committed. */
export async function indexOperations(store: SealedStore, height: number): Promise<readonly KeyValueOperation[]> {
  const operations: KeyValueOperation[] = [];
  for (let level = 1; level <= LEVELS_MAX; level++) {
    const length = lengthOf(level);
    // Each level starts one height later, so an earlier commit wrote what this step reads.
    const since = height - level;
    const end = since - (since % length);
    const step = since - end;
    if (end <= 0 || step >= length / PARTS) continue;
    operations.push(...(await makeShards(store, level, end - length, step)));
  }
  return operations;
}

/** Whether every step of the span that ends before `end` is done. */
function isMade(level: number, end: number, tipHeight: number): boolean {
  return level === 0 || tipHeight >= end + level + lengthOf(level - 1) - 1;
}

/** The 16 shards of a span that belong to one shard of its parts. */
async function makeShards(store: SealedStore, level: number, start: number, step: number) {
  const entries = new Map<IndexKey, number>();
  const partLength = lengthOf(level - 1);
  const starts = Array.from({ length: PARTS }, (_, part) => start + part * partLength);
  const add = (key: IndexKey, part: number) => entries.set(key, (entries.get(key) ?? 0) | (1 << part));
  if (level === 1) await eachIndexKeyOfBlocks(store, starts, add);
  else {
    const records = await store.getMany(starts.map((at) => indexRecordKey(level - 1, at, step)));
    for (const [part, record] of records.entries()) if (record) eachKey(record, (key) => add(key, part));
  }
  return encodeShards(entries, level).map(({ shard, record }) =>
    putSealed(indexRecordKey(level, start, shard), record),
  );
}

async function eachIndexKeyOfBlocks(
  store: SealedStore,
  heights: readonly number[],
  add: (key: IndexKey, part: number) => void,
): Promise<void> {
  const ids = await store.getMany(heights.map((height) => keyOf('height', uint64be(height))));
  for (const [part, id] of ids.entries()) {
    if (id === undefined) continue; // pruned
    await eachIndexKeyOfBlock(store, id, (key) => add(key, part));
  }
}

/** False when the block is not here. */
export async function eachIndexKeyOfBlock(
  store: SealedStore,
  blockId: Uint8Array,
  take: (key: IndexKey) => void,
): Promise<boolean> {
  const [receipts, accounts] = await store.getMany([keyOf('receipts', blockId), keyOf('accounts', blockId)]);
  if (receipts === undefined || accounts === undefined) return false;
  // A receipt begins with its transaction's id.
  eachStart(receipts, (start) => take(keyAt(receipts, start)));
  // A record begins with its batch's id, whose first bytes are those of all its rows' ids.
  const batches = secondList(receipts);
  if (batches !== undefined) eachStart(batches, (start) => take(keyAt(batches, start)));
  eachAccount(accounts, (_, start) => take(keyAt(accounts, start + ACCOUNT_SCHEME_BYTES)));
  return true;
}

function encodeShards(entries: ReadonlyMap<IndexKey, number>, level: number) {
  const byShard = new Map<number, IndexKey[]>();
  for (const key of entries.keys()) {
    const shard = shardOf(key, level);
    const keys = byShard.get(shard);
    if (keys) keys.push(key);
    else byShard.set(shard, [key]);
  }
  return [...byShard].map(([shard, keys]) => {
    const record = new Uint8Array(keys.length * ENTRY_BYTES);
    const view = new DataView(record.buffer);
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i] as IndexKey;
      view.setUint16(i * ENTRY_BYTES, key / 2 ** 32);
      view.setUint32(i * ENTRY_BYTES + 2, key % 2 ** 32);
      view.setUint16(i * ENTRY_BYTES + KEY_BYTES, entries.get(key) as number);
    }
    return { shard, record };
  });
}

function eachKey(record: Uint8Array, take: (key: IndexKey) => void): void {
  for (let at = 0; at < record.length; at += ENTRY_BYTES) take(keyAt(record, at));
}

/** The parts that contain the key, as bits. */
function partsOf(record: Uint8Array, key: IndexKey): number {
  const view = new DataView(record.buffer, record.byteOffset, record.length);
  const [high, low] = [Math.floor(key / 2 ** 32), key % 2 ** 32];
  for (let at = 0; at < record.length; at += ENTRY_BYTES) {
    if (view.getUint32(at + 2) === low && view.getUint16(at) === high) return view.getUint16(at + KEY_BYTES);
  }
  return 0;
}

/** Heights whose blocks may contain the key, newest first; all heights that no span covers yet. */
export async function* heightsWith(
  store: SealedStore,
  { height: tipHeight, earliestHeight }: LedgerTip,
  key: IndexKey,
  highest: number = tipHeight,
): AsyncGenerator<number> {
  for (let end = tipHeight + 1; end > earliestHeight; ) {
    let level = 0;
    while (level < LEVELS_MAX && end % lengthOf(level + 1) === 0 && isMade(level + 1, end, tipHeight)) level++;
    const start = end - lengthOf(level);
    yield* heightsOfSpan(store, { level, start, key, highest });
    end = start;
  }
}

interface Search {
  readonly level: number;
  readonly start: number;
  readonly key: IndexKey;
  readonly highest: number;
}

async function* heightsOfSpan(store: SealedStore, { level, start, key, highest }: Search): AsyncGenerator<number> {
  if (start > highest) return;
  if (level === 0) {
    yield start;
    return;
  }
  const record = await store.get(indexRecordKey(level, start, shardOf(key, level)));
  const parts = record === undefined ? 0 : partsOf(record, key);
  for (let part = PARTS - 1; part >= 0; part--) {
    if ((parts & (1 << part)) === 0) continue;
    const at = start + part * lengthOf(level - 1);
    yield* heightsOfSpan(store, { level: level - 1, start: at, key, highest });
  }
}

/** Operations that accompany the pruning of `height`: one shard of each span below it. */
export function pruneIndex(height: number): readonly KeyValueOperation[] {
  const operations: KeyValueOperation[] = [];
  // Delayed, so that no step of the span is still due.
  const since = height - LEVELS_MAX;
  for (let level = 1; level <= LEVELS_MAX; level++) {
    const length = lengthOf(level);
    const end = since - (since % length);
    assert(end - length < height, 'a span is forgotten when all of it is pruned');
    if (end > 0) operations.push({ type: 'delete', key: indexRecordKey(level, end - length, since - end) });
  }
  return operations;
}
