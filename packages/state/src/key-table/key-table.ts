/**
 * Hash table from keys to cells: extendible hashing over small buckets.
 *
 *   hash --high bits--> directory --> bucket --low bits, linear probing--> slot: entry, tag --> entry: (address, hash)
 *
 * Entries lie densely in insertion order, and slots hold their numbers in two bytes. So a missing key costs a slot or two, because the tag
 * excludes most others, and many new keys of a bucket share cache lines. Split thresholds vary between 40 and 65 percent, because equal buckets would all split within the same few blocks.
 */

import { keyBytesOfHead } from '../log/format.ts';
import { inRanges } from '../typed-arrays/ranges.ts';
import {
  type BucketDirectory,
  baseOf,
  bucketOf,
  createBucketDirectory,
  directoryBytes,
  slabOf,
  splitBucket,
} from './bucket-directory.ts';
import { type Cells, PAGE_MASK } from './cells.ts';
import {
  COUNT,
  DEPTH,
  entryAt,
  FIRST_ENTRY,
  LIMIT,
  type Ordered,
  place,
  placeRun,
  removeSlot,
  SLOT_MASK,
  type Slab,
  slotHolding,
} from './key-bucket.ts';
import { createKeySearch, type KeySearch, type Sought } from './key-search.ts';

/** With fewer keys per bucket, a run is too short to overlap its cache misses. */
const KEYS_OF_RUN_MIN = 8;
/** From this many keys per bucket on, reading all slots sequentially is faster: the keys touch a fourth of the cache lines. */
const KEYS_TO_STREAM = 32;
const LINE_WORDS = 16;

export interface KeyTable {
  /** Address of the cell of the `keyBytes` bytes at `words[at]`, or 0. */
  find(words: Int32Array, at: number, keyBytes: number, hash: number): number;
  /** `find` for order[from, to), a part of `count` keys: sets their `found`. */
  findEach(sought: Sought, from: number, to: number, count: number, found: Int32Array): void;
  /** Inserts those of order[from, to) with an address. The keys must be new. */
  insertEach(keys: Ordered, addresses: Int32Array, from: number, to: number): void;
  /** The key must be new. */
  insert(hash: number, address: number): void;
  replace(hash: number, from: number, to: number): void;
  remove(hash: number, address: number): void;
  each(visit: (address: number) => void): void;
  readonly count: number;
  readonly bytes: number;
}

interface Table {
  readonly cells: Cells;
  readonly directory: BucketDirectory;
  readonly search: KeySearch;
  /** Receives preloaded values, or the compiler would remove the loads. */
  readonly sink: Int32Array;
  count: number;
}

export function createKeyTable(cells: Cells): KeyTable {
  const directory = createBucketDirectory();
  const table: Table = { cells, directory, search: createKeySearch(cells), sink: new Int32Array(1), count: 0 };
  return {
    find: (words, at, keyBytes, hash) => findKey(table, words, at, keyBytes, hash),
    findEach(sought, from, to, count, found) {
      const findRange = count < KEYS_OF_RUN_MIN * directory.buckets ? findSparse : findDense;
      inRanges(from, to, (first, end) => findRange(table, sought, first, end, found));
    },
    insertEach: (keys, addresses, from, to) => insertRange(table, keys, addresses, from, to),
    insert: (hash, address) => insertKey(table, hash, address),
    replace: (hash, from, to) => replaceAddress(directory, hash, from, to),
    remove(hash, address) {
      removeAddress(directory, hash, address);
      table.count -= 1;
    },
    each: (visit) => visitAddresses(directory, visit),
    get count() {
      return table.count;
    },
    get bytes() {
      return directoryBytes(directory);
    },
  };
}

function findKey({ directory, search }: Table, key: Int32Array, at: number, keyBytes: number, hash: number): number {
  const bucket = bucketOf(directory, hash);
  return search.find(slabOf(directory, bucket), baseOf(bucket), key, at, keyBytes, hash);
}

function findDense(table: Table, sought: Sought, from: number, to: number, found: Int32Array): void {
  const { directory, search, sink } = table;
  const { order, sorted } = sought;
  for (let at = from; at < to; at++) found[order[at] as number] = 0;
  for (let at = from; at < to; ) {
    const bucket = bucketOf(directory, sorted[at] as number);
    const slab = slabOf(directory, bucket);
    const base = baseOf(bucket);
    const end = endOfRun(sorted, at, to, slab.words[base + DEPTH] as number);
    if (end - at >= KEYS_TO_STREAM) sink[0] = streamSlots(slab, base);
    search.findRun(slab, base, sought, at, end, found);
    at = end;
  }
}

/** Index at which the next bucket's keys begin. */
function endOfRun(sorted: Int32Array, from: number, to: number, bits: number): number {
  const first = sorted[from] as number;
  let end = from + 1;
  while (end < to && (((sorted[end] as number) ^ first) >>> (31 - bits)) >>> 1 === 0) end += 1;
  return end;
}

/** Reads in sequence, so that the processor prefetches. */
function streamSlots({ words }: Slab, base: number): number {
  let seen = 0;
  for (let at = base; at < base + FIRST_ENTRY; at += LINE_WORDS) seen ^= words[at] as number;
  return seen;
}

/** For few keys per bucket: loads slots, entries and cells first, so that the cache misses overlap. */
function findSparse(table: Table, sought: Sought, from: number, to: number, found: Int32Array): void {
  const { cells, directory, sink } = table;
  const { words, keyAt, head, order, sorted } = sought;
  let seen = 0;
  for (let at = from; at < to; at++) {
    const hash = sorted[at] as number;
    const bucket = bucketOf(directory, hash);
    const base = baseOf(bucket);
    const slab = slabOf(directory, bucket);
    seen ^= slab.words[entryAt(base, slab.slots[2 * base + (hash & SLOT_MASK)] as number)] as number;
  }
  for (let at = from; at < to; at++) {
    const hash = sorted[at] as number;
    const bucket = bucketOf(directory, hash);
    const base = baseOf(bucket);
    const slab = slabOf(directory, bucket);
    const slot = slab.slots[2 * base + (hash & SLOT_MASK)] as number;
    if (slot === 0) continue;
    const address = slab.words[entryAt(base, slot)] as number;
    seen ^= cells.page(address)[address & PAGE_MASK] as number;
  }
  sink[0] = seen;
  for (let at = from; at < to; at++) {
    const number = order[at] as number;
    const keyBytes = keyBytesOfHead(head[number] as number);
    found[number] = findKey(table, words, keyAt[number] as number, keyBytes, sorted[at] as number);
  }
}

function insertKey(table: Table, hash: number, address: number): void {
  const { directory } = table;
  for (;;) {
    const bucket = bucketOf(directory, hash);
    const slab = slabOf(directory, bucket);
    const base = baseOf(bucket);
    if ((slab.words[base + COUNT] as number) < (slab.words[base + LIMIT] as number)) {
      place(slab, base, hash, address);
      table.count += 1;
      return;
    }
    splitBucket(directory, hash);
  }
}

function insertRange(table: Table, keys: Ordered, addresses: Int32Array, from: number, to: number): void {
  const { directory, sink } = table;
  const { sorted } = keys;
  for (let at = from; at < to; ) {
    const bucket = bucketOf(directory, sorted[at] as number);
    const slab = slabOf(directory, bucket);
    const base = baseOf(bucket);
    const entries = slab.words[base + COUNT] as number;
    const capacity = (slab.words[base + LIMIT] as number) - entries;
    if (capacity <= 0) {
      splitBucket(directory, sorted[at] as number);
      continue;
    }
    const end = Math.min(at + capacity, endOfRun(sorted, at, to, slab.words[base + DEPTH] as number));
    sink[0] = loadSlots(slab, base, sorted, at, end);
    placeRun(slab, base, keys, addresses, at, end);
    table.count += (slab.words[base + COUNT] as number) - entries;
    at = end;
  }
}

/** Reads without branches, so that the loads overlap. */
function loadSlots({ slots }: Slab, base: number, sorted: Int32Array, from: number, to: number): number {
  let seen = 0;
  for (let at = from; at < to; at++) seen ^= slots[2 * base + ((sorted[at] as number) & SLOT_MASK)] as number;
  return seen;
}

function replaceAddress(directory: BucketDirectory, hash: number, from: number, to: number): void {
  const bucket = bucketOf(directory, hash);
  const slab = slabOf(directory, bucket);
  const base = baseOf(bucket);
  const slot = slotHolding(slab, base, hash, from);
  slab.words[entryAt(base, slab.slots[2 * base + slot] as number)] = to;
}

function removeAddress(directory: BucketDirectory, hash: number, address: number): void {
  const bucket = bucketOf(directory, hash);
  const slab = slabOf(directory, bucket);
  removeSlot(slab, baseOf(bucket), slotHolding(slab, baseOf(bucket), hash, address));
}

function visitAddresses(directory: BucketDirectory, visit: (address: number) => void): void {
  for (let bucket = 0; bucket < directory.buckets; bucket++) {
    const { words } = slabOf(directory, bucket);
    const first = baseOf(bucket) + FIRST_ENTRY;
    const entries = words[baseOf(bucket) + COUNT] as number;
    for (let i = 0; i < entries; i++) visit(words[first + 2 * i] as number);
  }
}
