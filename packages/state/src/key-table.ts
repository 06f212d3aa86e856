/**
 * Hash table from keys to cells: extendible hashing over small buckets.
 *
 *   hash --high bits--> directory --> bucket --low bits, linear probing--> slot: entry, tag --> entry: (address, hash)
 *
 * Entries lie densely in insertion order, and slots hold their numbers in two bytes. So a look-up of a missing key reads a slot or two
 * (the tag, four bits of the hash, excludes most others), and many new keys of a bucket share cache lines.
 *
 * A full bucket splits alone, so the table never stops to grow as a whole. The split thresholds are spread between 40 and 65 percent,
 * because equal buckets would all split within the same few blocks. A key takes 12 to 18 bytes.
 */
import { assert } from '@slipstream/primitives';
import { type Cells, PAGE_MASK } from './cells.ts';
import { keyBytesOfHead } from './format.ts';
import {
  BUCKET_WORDS,
  COUNT,
  createSlab,
  DEPTH,
  entryAt,
  FIRST_ENTRY,
  LIMIT,
  limitOf,
  type Ordered,
  place,
  placeRun,
  SLOT_BITS,
  SLOT_MASK,
  SLOTS,
  type Slab,
  slotHolding,
  vacate,
} from './key-bucket.ts';
import { createKeySearch, type Sought } from './key-search.ts';
import { inRanges } from './ranges.ts';
import { WORD_BYTES } from './words.ts';

/** Slabs of 230 KiB: few objects, so that a look-up misses the cache only once. */
const SLAB_BITS = 3;
const SLAB_MASK = (1 << SLAB_BITS) - 1;
/** With fewer keys per bucket, a run is too short to overlap its cache misses. */
const KEYS_OF_RUN_MIN = 8;
/** From this many keys per bucket, all its slots are loaded sequentially: the keys touch at least a fourth of the cache lines. */
const KEYS_TO_STREAM = 32;
const LINE_WORDS = 16;
/** A directory of a million buckets: three billion keys. */
const DEPTH_MAX = 32 - SLOT_BITS;

export interface KeyTable {
  /** Address of the cell of the key of `keyBytes` bytes at `words[at]`, or 0. */
  find(words: Int32Array, at: number, keyBytes: number, hash: number): number;
  /** `find` for order[from, to), out of `count` keys in all: fills in `found` of these numbers. */
  findEach(sought: Sought, from: number, to: number, count: number, found: Int32Array): void;
  /** Inserts those of order[from, to) that have an address. Their keys must be new. */
  insertEach(keys: Ordered, addresses: Int32Array, from: number, to: number): void;
  /** The key must be new. */
  insert(hash: number, address: number): void;
  /** The old address must be in the table. */
  replace(hash: number, from: number, to: number): void;
  remove(hash: number, address: number): void;
  each(visit: (address: number) => void): void;
  readonly count: number;
  readonly bytes: number;
}

/** Index in sorted[from, to) at which the next bucket's keys begin. */
function endOfRun(sorted: Int32Array, from: number, to: number, bits: number): number {
  const first = sorted[from] as number;
  let end = from + 1;
  while (end < to && (((sorted[end] as number) ^ first) >>> (31 - bits)) >>> 1 === 0) end += 1;
  return end;
}

export function createKeyTable(cells: Cells): KeyTable {
  const slabs: Slab[] = [];
  /** From the high bits of a hash to the bucket's number. */
  let directory = new Int32Array(2);
  let depth = 1;
  let buckets = 0;
  let count = 0;
  const search = createKeySearch(cells);
  /** Receives preloaded values, so that the compiler does not remove the loads. */
  const touched = new Int32Array(1);

  addBucket(0, 0);

  function addBucket(depthOf: number, prefix: number): number {
    if ((buckets & SLAB_MASK) === 0) slabs.push(createSlab(1 << SLAB_BITS));
    buckets += 1;
    describe(buckets - 1, depthOf, prefix);
    return buckets - 1;
  }

  function describe(bucket: number, depthOf: number, prefix: number): void {
    const { words } = slabOf(bucket);
    words[baseOf(bucket) + DEPTH] = depthOf;
    words[baseOf(bucket) + LIMIT] = limitOf(prefix);
  }

  function bucketOf(hash: number): number {
    return directory[hash >>> (32 - depth)] as number;
  }

  function slabOf(bucket: number): Slab {
    return slabs[bucket >>> SLAB_BITS] as Slab;
  }

  function baseOf(bucket: number): number {
    return (bucket & SLAB_MASK) * BUCKET_WORDS;
  }

  function find(key: Int32Array, at: number, keyBytes: number, hash: number): number {
    const bucket = bucketOf(hash);
    return search.find(slabOf(bucket), baseOf(bucket), key, at, keyBytes, hash);
  }

  function findEach(sought: Sought, from: number, to: number, count: number, found: Int32Array): void {
    if (count < KEYS_OF_RUN_MIN * buckets) inRanges(from, to, (first, end) => findSparse(sought, first, end, found));
    else inRanges(from, to, (first, end) => findDense(sought, first, end, found));
  }

  /** For many keys per bucket. */
  function findDense(sought: Sought, from: number, to: number, found: Int32Array): void {
    const { order, sorted } = sought;
    for (let at = from; at < to; at++) found[order[at] as number] = 0;
    for (let at = from; at < to; ) {
      const bucket = bucketOf(sorted[at] as number);
      const slab = slabOf(bucket);
      const base = baseOf(bucket);
      const end = endOfRun(sorted, at, to, slab.words[base + DEPTH] as number);
      if (end - at >= KEYS_TO_STREAM) streamSlots(slab, base);
      search.findRun(slab, base, sought, at, end, found);
      at = end;
    }
  }

  /** Loads all slots of a bucket sequentially, so that the processor prefetches. */
  function streamSlots({ words }: Slab, base: number): void {
    let seen = 0;
    for (let at = base; at < base + FIRST_ENTRY; at += LINE_WORDS) seen ^= words[at] as number;
    touched[0] = seen;
  }

  /** For few keys per bucket: first loads the slots, entries and cells of all keys, so that the cache misses overlap. */
  function findSparse(
    { words, keyAt, head, order, sorted }: Sought,
    from: number,
    to: number,
    found: Int32Array,
  ): void {
    let seen = 0;
    for (let at = from; at < to; at++) {
      const hash = sorted[at] as number;
      const bucket = bucketOf(hash);
      const base = baseOf(bucket);
      const slab = slabOf(bucket);
      seen ^= slab.words[entryAt(base, slab.slots[2 * base + (hash & SLOT_MASK)] as number)] as number;
    }
    for (let at = from; at < to; at++) {
      const hash = sorted[at] as number;
      const bucket = bucketOf(hash);
      const base = baseOf(bucket);
      const { words: table, slots } = slabOf(bucket);
      const slot = slots[2 * base + (hash & SLOT_MASK)] as number;
      if (slot === 0) continue;
      const address = table[entryAt(base, slot)] as number;
      seen ^= cells.page(address)[address & PAGE_MASK] as number;
    }
    touched[0] = seen;
    for (let at = from; at < to; at++) {
      const number = order[at] as number;
      const keyBytes = keyBytesOfHead(head[number] as number);
      found[number] = find(words, keyAt[number] as number, keyBytes, sorted[at] as number);
    }
  }

  /** Moves the entries whose next bit is set to a new bucket, and compacts the others. */
  function split(hash: number): void {
    const low = bucketOf(hash);
    const slab = slabOf(low);
    const base = baseOf(low);
    const { words, slots } = slab;
    const local = words[base + DEPTH] as number;
    assert(local < DEPTH_MAX, 'a bucket of the key table can split');
    if (local === depth) doubleDirectory();
    const prefix = local === 0 ? 0 : hash >>> (32 - local);
    const high = addBucket(local + 1, prefix * 2 + 1);
    describe(low, local + 1, prefix * 2);
    const end = base + FIRST_ENTRY + 2 * (words[base + COUNT] as number);
    words[base + COUNT] = 0;
    slots.fill(0, 2 * base, 2 * base + SLOTS);
    for (let entry = base + FIRST_ENTRY; entry < end; entry += 2) {
      const address = words[entry] as number;
      const each = words[entry + 1] as number;
      if (((each >>> (31 - local)) & 1) === 1) place(slabOf(high), baseOf(high), each, address);
      else place(slab, base, each, address);
    }
    const span = 2 ** (depth - local);
    directory.fill(high, prefix * span + span / 2, (prefix + 1) * span);
  }

  function doubleDirectory(): void {
    directory = Int32Array.from({ length: directory.length * 2 }, (_, i) => directory[i >>> 1] as number);
    depth += 1;
  }

  function insert(hash: number, address: number): void {
    for (;;) {
      const bucket = bucketOf(hash);
      const slab = slabOf(bucket);
      const base = baseOf(bucket);
      if ((slab.words[base + COUNT] as number) < (slab.words[base + LIMIT] as number)) {
        place(slab, base, hash, address);
        count += 1;
        return;
      }
      split(hash);
    }
  }

  function insertEach({ order, sorted }: Ordered, addresses: Int32Array, from: number, to: number): void {
    for (let at = from; at < to; ) {
      const bucket = bucketOf(sorted[at] as number);
      const slab = slabOf(bucket);
      const base = baseOf(bucket);
      const entries = slab.words[base + COUNT] as number;
      const room = (slab.words[base + LIMIT] as number) - entries;
      if (room <= 0) {
        split(sorted[at] as number);
        continue;
      }
      const end = Math.min(at + room, endOfRun(sorted, at, to, slab.words[base + DEPTH] as number));
      touchRun(slab, base, sorted, at, end);
      placeRun(slab, base, { order, sorted }, addresses, at, end);
      count += (slab.words[base + COUNT] as number) - entries;
      at = end;
    }
  }

  /** Loads the slots of a run into the cache. The reads have no branches, so they overlap. */
  function touchRun({ slots }: Slab, base: number, sorted: Int32Array, from: number, to: number): void {
    let seen = 0;
    for (let at = from; at < to; at++) seen ^= slots[2 * base + ((sorted[at] as number) & SLOT_MASK)] as number;
    touched[0] = seen;
  }

  function replace(hash: number, from: number, to: number): void {
    const bucket = bucketOf(hash);
    const slab = slabOf(bucket);
    const slot = slotHolding(slab, baseOf(bucket), hash, from);
    slab.words[entryAt(baseOf(bucket), slab.slots[2 * baseOf(bucket) + slot] as number)] = to;
  }

  function remove(hash: number, address: number): void {
    const bucket = bucketOf(hash);
    const slab = slabOf(bucket);
    vacate(slab, baseOf(bucket), slotHolding(slab, baseOf(bucket), hash, address));
    count -= 1;
  }

  function each(visit: (address: number) => void): void {
    for (let bucket = 0; bucket < buckets; bucket++) {
      const { words } = slabOf(bucket);
      const first = baseOf(bucket) + FIRST_ENTRY;
      const entries = words[baseOf(bucket) + COUNT] as number;
      for (let i = 0; i < entries; i++) visit(words[first + 2 * i] as number);
    }
  }

  return {
    find,
    findEach,
    insertEach,
    insert,
    replace,
    remove,
    each,
    get count() {
      return count;
    },
    get bytes() {
      return (slabs.length << SLAB_BITS) * BUCKET_WORDS * WORD_BYTES + directory.byteLength;
    },
  };
}
