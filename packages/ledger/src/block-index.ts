/**
 * Index of transactions, accounts and events: which blocks hold a transaction or an event, or touch an account, without a write per transaction.
 *
 *   block    its receipts and accounts hold its keys                                           (level 0: no record)
 *   span     16^level heights, aligned: a record for each of 16^level shards of the keys
 *   record   table | level | first height | shard -> for each key, ascending: which of the span's 16 parts contain it
 *
 *   search:  the newest span --16 bits--> its parts --16 bits--> ... --> a block, which is read itself; of events from the oldest span on
 *
 * A key is 48 bits of a transaction id, a batch id or an account, or the numbers of an application and of its event. A hit is a hint: the
 * reader compares what is in the block. Shards grow with their span, so a record holds about as many keys as a block. An account that every block touches costs one entry per span.
 *
 * A span is built from its parts in steps of one shard, each in the batch of a commit. The height alone determines the step, so a crash
 * keeps a commit with its steps or neither. A span is used once its last step is done, its parts until then.
 */
import type { KeyValueOperation } from '@slipstream/ports';
import { assert } from '@slipstream/primitives';
import { eventsInOutput, RECEIPT_FIXED_BYTES } from '@slipstream/types';
import { eachAccount } from './account-lists.ts';
import type { Body } from './bodies.ts';
import { keyOf, uint32be, uint64be } from './keys.ts';
import { eachBound, secondList } from './packed-list.ts';
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
/** An event's number has 16 bits; one more is for all of an application. */
const EVENTS_OF_APPLICATION = 2 ** 17;

export type IndexKey = number;

export function transactionIndexKey(id: Uint8Array): IndexKey {
  return keyAt(id, 0);
}

/** `account`: accountKeyBytes of types. The first byte, the scheme, is skipped as nearly always the same. */
export function accountIndexKey(account: Uint8Array): IndexKey {
  return keyAt(account, ACCOUNT_SCHEME_BYTES);
}

/** Without an event: of the application's blocks with any. All are in the first shard, where ids hardly are. */
export function eventIndexKey(application: number, event?: number): IndexKey {
  return application * EVENTS_OF_APPLICATION + (event === undefined ? 0 : event + 1);
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

/** Keys of the block at a height; undefined: it is pruned. */
type KeysAt = (height: number) => Promise<Float64Array | undefined>;

/** The steps due in the batch that commits `height`. All lower heights are committed. */
export async function indexOperations(
  store: SealedStore,
  keysAt: KeysAt,
  height: number,
): Promise<readonly KeyValueOperation[]> {
  const operations: KeyValueOperation[] = [];
  for (let level = 1; level <= LEVELS_MAX; level++) {
    const length = lengthOf(level);
    // Each level starts one height later, so an earlier commit wrote what this step reads.
    const since = height - level;
    const end = since - (since % length);
    const step = since - end;
    if (end <= 0 || step >= length / PARTS) continue;
    operations.push(...(await makeShards(store, keysAt, level, end - length, step)));
  }
  return operations;
}

/** Whether every step of the span that ends before `end` is done. */
function isMade(level: number, end: number, tipHeight: number): boolean {
  return level === 0 || tipHeight >= end + level + lengthOf(level - 1) - 1;
}

/** The 16 shards of a span that belong to one shard of its parts. */
async function makeShards(store: SealedStore, keysAt: KeysAt, level: number, start: number, step: number) {
  const found = createFindings();
  const partLength = lengthOf(level - 1);
  const starts = Array.from({ length: PARTS }, (_, part) => start + part * partLength);
  if (level === 1) {
    const ofBlocks = await Promise.all(starts.map(keysAt));
    for (const [part, keys] of ofBlocks.entries()) for (const key of keys ?? []) found.add(key, part);
  } else {
    const records = await store.getMany(starts.map((at) => indexRecordKey(level - 1, at, step)));
    for (const [part, record] of records.entries()) if (record) eachKey(record, (key) => found.add(key, part));
  }
  return encodeShards(found.sorted(), level).map(({ shard, record }) =>
    putSealed(indexRecordKey(level, start, shard), record),
  );
}

/** About the keys of two full blocks. */
const FINDINGS_AT_FIRST = 4_096;

/** Keys with a part each: key x 16 + part, which a number holds exactly. Sorting them costs a quarter of what a map costs. */
function createFindings() {
  let findings = new Float64Array(FINDINGS_AT_FIRST);
  let count = 0;
  return {
    add(key: IndexKey, part: number): void {
      if (count === findings.length) {
        const wider = new Float64Array(2 * count);
        wider.set(findings);
        findings = wider;
      }
      findings[count++] = key * PARTS + part;
    },
    sorted: (): Float64Array => findings.subarray(0, count).sort(),
  };
}

/** Of what `block` holds: each transaction, batch, account and event, some more than once. */
export function indexKeysOf({ receipts, accounts }: Body): Float64Array {
  const keys: IndexKey[] = [];
  // A receipt begins with its transaction's id.
  eachBound(receipts, (start, end) => {
    keys.push(keyAt(receipts, start));
    if (end - start === RECEIPT_FIXED_BYTES) return;
    for (const { application, event } of eventsInOutput(receipts.subarray(start + RECEIPT_FIXED_BYTES, end)) ?? [])
      keys.push(eventIndexKey(application), eventIndexKey(application, event));
  });
  // A record begins with its batch's id, whose first bytes are those of all its rows' ids.
  const batches = secondList(receipts);
  if (batches !== undefined) eachBound(batches, (start) => keys.push(keyAt(batches, start)));
  eachAccount(accounts, (_, start) => keys.push(keyAt(accounts, start + ACCOUNT_SCHEME_BYTES)));
  return new Float64Array(keys);
}

/** Entries ascend by key, so a shard is a range of them. */
function encodeShards(findings: Float64Array, level: number) {
  const shards: { readonly shard: number; readonly record: Uint8Array }[] = [];
  for (let at = 0; at < findings.length; ) {
    const shard = shardOf(keyOfFinding(findings, at), level);
    const end = endOfShard(findings, at, shard, level);
    shards.push({ shard, record: encodeEntries(findings.subarray(at, end)) });
    at = end;
  }
  return shards;
}

function keyOfFinding(findings: Float64Array, at: number): IndexKey {
  return Math.floor((findings[at] as number) / PARTS);
}

function endOfShard(findings: Float64Array, from: number, shard: number, level: number): number {
  let end = from + 1;
  while (end < findings.length && shardOf(keyOfFinding(findings, end), level) === shard) end++;
  return end;
}

function encodeEntries(findings: Float64Array): Uint8Array {
  const record = new Uint8Array(findings.length * ENTRY_BYTES);
  const view = new DataView(record.buffer);
  let end = 0;
  for (let at = 0; at < findings.length; ) {
    const key = keyOfFinding(findings, at);
    let parts = 0;
    for (; at < findings.length && keyOfFinding(findings, at) === key; at++) {
      parts |= 1 << ((findings[at] as number) - key * PARTS);
    }
    view.setUint16(end, key / 2 ** 32);
    view.setUint32(end + 2, key % 2 ** 32);
    view.setUint16(end + KEY_BYTES, parts);
    end += ENTRY_BYTES;
  }
  return record.subarray(0, end);
}

function eachKey(record: Uint8Array, take: (key: IndexKey) => void): void {
  for (let at = 0; at < record.length; at += ENTRY_BYTES) take(keyAt(record, at));
}

/** The parts that contain the key, as bits. */
function partsOf(record: Uint8Array, key: IndexKey): number {
  const view = new DataView(record.buffer, record.byteOffset, record.length);
  let [low, high] = [0, record.length / ENTRY_BYTES];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const found = keyAt(record, middle * ENTRY_BYTES);
    if (found === key) return view.getUint16(middle * ENTRY_BYTES + KEY_BYTES);
    if (found < key) low = middle + 1;
    else high = middle;
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
    const level = levelOf(tipHeight, end - 1);
    const start = end - lengthOf(level);
    yield* heightsOfSpan(store, { level, start, key, lowest: 0, highest, parts: NEWEST_FIRST });
    end = start;
  }
}

/** The same, oldest first, from a retained height on. */
export async function* heightsFrom(
  store: SealedStore,
  { height: tipHeight }: LedgerTip,
  key: IndexKey,
  lowest: number,
): AsyncGenerator<number> {
  for (let at = lowest; at <= tipHeight; ) {
    const level = levelOf(tipHeight, at);
    const start = at - (at % lengthOf(level));
    yield* heightsOfSpan(store, { level, start, key, lowest, highest: tipHeight, parts: OLDEST_FIRST });
    at = start + lengthOf(level);
  }
}

/** Of the largest span with this height whose steps are done. */
function levelOf(tipHeight: number, at: number): number {
  let level = 0;
  while (level < LEVELS_MAX && isMade(level + 1, at - (at % lengthOf(level + 1)) + lengthOf(level + 1), tipHeight))
    level++;
  return level;
}

const OLDEST_FIRST = Array.from({ length: PARTS }, (_, part) => part);
const NEWEST_FIRST = [...OLDEST_FIRST].reverse();

interface Search {
  readonly level: number;
  readonly start: number;
  readonly key: IndexKey;
  readonly lowest: number;
  readonly highest: number;
  /** The order of the parts of a span. */
  readonly parts: readonly number[];
}

async function* heightsOfSpan(store: SealedStore, search: Search): AsyncGenerator<number> {
  const { level, start, key, lowest, highest, parts } = search;
  if (start > highest || start + lengthOf(level) <= lowest) return;
  if (level === 0) {
    yield start;
    return;
  }
  const record = await store.get(indexRecordKey(level, start, shardOf(key, level)));
  const found = record === undefined ? 0 : partsOf(record, key);
  for (const part of parts) {
    if ((found & (1 << part)) === 0) continue;
    yield* heightsOfSpan(store, { ...search, level: level - 1, start: start + part * lengthOf(level - 1) });
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
