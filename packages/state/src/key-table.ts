/**
 * Hash table from keys to cells: extendible hashing over small open-addressed buckets.
 *
 *   hash --high bits--> directory --> bucket --low bits, linear probing--> (address, hash)
 *
 * A full bucket splits in two, which touches it alone (about 20 us): the table never stops to grow as a whole. Buckets split
 * at thresholds spread between 40 and 65 percent, or all of them would reach theirs within the same few blocks.
 * A slot takes 8 bytes, a key 16 to 20.
 */
import { assert } from '@slipstream/primitives';
import { CELL_HEAD_WORDS, type Cells, keyBytesOf, PAGE_MASK } from './cells.ts';
import { sameWords, wordsFor } from './words.ts';

const SLOT_BITS = 12;
const SLOTS = 1 << SLOT_BITS;
const SLOT_MASK = SLOTS - 1;
/** Behind the slots: keys in the bucket, hash bits that lead to it, keys at which it splits. */
const COUNT = 2 * SLOTS;
const DEPTH = COUNT + 1;
const LIMIT = COUNT + 2;
const BUCKET_WORDS = COUNT + 4;
const LIMIT_LEAST = Math.floor(SLOTS * 0.4);
const LIMIT_SPREAD = Math.floor(SLOTS * 0.25);
/** Keys at a time in loops that touch slots first: their lines fit in the first-level cache. */
export const TOUCH_KEYS = 128;
/** Buckets lie together in slabs of 256 KiB: few objects, so that a look-up misses the processor's cache once. */
const SLAB_BITS = 3;
const SLAB_MASK = (1 << SLAB_BITS) - 1;
/** Directory of a million buckets: three billion keys. */
const DEPTH_MAX = 32 - SLOT_BITS;

export interface KeyTable {
  /** Address of the cell of the key of `keyBytes` bytes at `words[at]`, or 0. */
  find(words: Int32Array, at: number, keyBytes: number, hash: number): number;
  /** Loads the slots of hashes[from, to) into the processor's cache. Reads without branches, which it can make at once. */
  touch(hashes: Int32Array, from: number, to: number): void;
  /** The key must not be in the table. */
  insert(hash: number, address: number): void;
  /** The old address must be in the table. */
  replace(hash: number, from: number, to: number): void;
  remove(hash: number, address: number): void;
  each(visit: (address: number) => void): void;
  readonly count: number;
  readonly bytes: number;
}

/** Keys at which the bucket of this prefix splits. */
function limitOf(prefix: number): number {
  return LIMIT_LEAST + ((Math.imul(prefix * 2 + 1, 0x9e3779b1) >>> 16) % LIMIT_SPREAD);
}

/** `base`: the word of the slab at which the bucket begins. */
function place(slab: Int32Array, base: number, hash: number, address: number): void {
  let at = base + 2 * (hash & SLOT_MASK);
  const end = base + 2 * SLOTS;
  while (slab[at] !== 0) {
    at += 2;
    if (at === end) at = base;
  }
  slab[at] = address;
  slab[at + 1] = hash;
  slab[base + COUNT] = (slab[base + COUNT] as number) + 1;
}

/** Number of the slot that holds the address. */
function slotHolding(slab: Int32Array, base: number, hash: number, address: number): number {
  let slot = hash & SLOT_MASK;
  while (slab[base + 2 * slot] !== address) {
    assert(slab[base + 2 * slot] !== 0, 'the address is in the table');
    slot = (slot + 1) & SLOT_MASK;
  }
  return slot;
}

/** Empties a slot and moves later ones of its run back, so that no probe meets a hole before its key. */
function vacate(slab: Int32Array, base: number, slot: number): void {
  let hole = slot;
  for (let at = (hole + 1) & SLOT_MASK; slab[base + 2 * at] !== 0; at = (at + 1) & SLOT_MASK) {
    const home = (slab[base + 2 * at + 1] as number) & SLOT_MASK;
    if (((at - home) & SLOT_MASK) < ((at - hole) & SLOT_MASK)) continue;
    slab[base + 2 * hole] = slab[base + 2 * at] as number;
    slab[base + 2 * hole + 1] = slab[base + 2 * at + 1] as number;
    hole = at;
  }
  slab[base + 2 * hole] = 0;
  slab[base + COUNT] = (slab[base + COUNT] as number) - 1;
}

export function createKeyTable(cells: Cells): KeyTable {
  const slabs: Int32Array[] = [];
  /** Number of the bucket for the high bits of a hash. */
  let directory = new Int32Array(2);
  let depth = 1;
  let buckets = 0;
  let count = 0;
  /** Room for both buckets of a split. */
  const halves = new Int32Array(2 * BUCKET_WORDS);
  /** Takes what `touch` read, or the compiler could leave it out. */
  const touched = new Int32Array(1);

  addBucket(0, 0);

  function addBucket(depthOf: number, prefix: number): number {
    if ((buckets & SLAB_MASK) === 0) slabs.push(new Int32Array(BUCKET_WORDS << SLAB_BITS));
    buckets += 1;
    describe(buckets - 1, depthOf, prefix);
    return buckets - 1;
  }

  function describe(bucket: number, depthOf: number, prefix: number): void {
    const slab = slabs[bucket >>> SLAB_BITS] as Int32Array;
    const base = (bucket & SLAB_MASK) * BUCKET_WORDS;
    slab[base + DEPTH] = depthOf;
    slab[base + LIMIT] = limitOf(prefix);
  }

  function bucketOf(hash: number): number {
    return directory[hash >>> (32 - depth)] as number;
  }

  function find(words: Int32Array, at: number, keyBytes: number, hash: number): number {
    const bucket = bucketOf(hash);
    const slab = slabs[bucket >>> SLAB_BITS] as Int32Array;
    const base = (bucket & SLAB_MASK) * BUCKET_WORDS;
    for (let slot = hash & SLOT_MASK; ; slot = (slot + 1) & SLOT_MASK) {
      const address = slab[base + 2 * slot] as number;
      if (address === 0) return 0;
      if (slab[base + 2 * slot + 1] !== hash) continue;
      const page = cells.page(address);
      const cell = address & PAGE_MASK;
      if (keyBytesOf(page[cell + 1] as number) !== keyBytes) continue;
      if (sameWords(page, cell + CELL_HEAD_WORDS, words, at, wordsFor(keyBytes))) return address;
    }
  }

  function touch(hashes: Int32Array, from: number, to: number): void {
    let seen = 0;
    for (let i = from; i < to; i++) {
      const hash = hashes[i] as number;
      const bucket = bucketOf(hash);
      const slab = slabs[bucket >>> SLAB_BITS] as Int32Array;
      seen ^= slab[(bucket & SLAB_MASK) * BUCKET_WORDS + 2 * (hash & SLOT_MASK)] as number;
    }
    touched[0] = seen;
  }

  /** Moves the keys whose next bit is set to a new bucket. */
  function split(hash: number): void {
    const low = bucketOf(hash);
    const lowSlab = slabs[low >>> SLAB_BITS] as Int32Array;
    const lowBase = (low & SLAB_MASK) * BUCKET_WORDS;
    const local = lowSlab[lowBase + DEPTH] as number;
    assert(local < DEPTH_MAX, 'a bucket of the key table can split');
    if (local === depth) doubleDirectory();
    const prefix = local === 0 ? 0 : hash >>> (32 - local);
    const high = addBucket(local + 1, prefix * 2 + 1);
    const highSlab = slabs[high >>> SLAB_BITS] as Int32Array;
    const highBase = (high & SLAB_MASK) * BUCKET_WORDS;
    halves.fill(0);
    for (let i = lowBase; i < lowBase + 2 * SLOTS; i += 2) {
      if (lowSlab[i] === 0) continue;
      const each = lowSlab[i + 1] as number;
      place(halves, ((each >>> (31 - local)) & 1) * BUCKET_WORDS, each, lowSlab[i] as number);
    }
    describe(low, local + 1, prefix * 2);
    lowSlab.set(halves.subarray(0, COUNT + 1), lowBase);
    highSlab.set(halves.subarray(BUCKET_WORDS, BUCKET_WORDS + COUNT + 1), highBase);
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
      const slab = slabs[bucket >>> SLAB_BITS] as Int32Array;
      const base = (bucket & SLAB_MASK) * BUCKET_WORDS;
      if ((slab[base + COUNT] as number) < (slab[base + LIMIT] as number)) {
        place(slab, base, hash, address);
        count += 1;
        return;
      }
      split(hash);
    }
  }

  function replace(hash: number, from: number, to: number): void {
    const bucket = bucketOf(hash);
    const slab = slabs[bucket >>> SLAB_BITS] as Int32Array;
    const base = (bucket & SLAB_MASK) * BUCKET_WORDS;
    slab[base + 2 * slotHolding(slab, base, hash, from)] = to;
  }

  function remove(hash: number, address: number): void {
    const bucket = bucketOf(hash);
    const slab = slabs[bucket >>> SLAB_BITS] as Int32Array;
    const base = (bucket & SLAB_MASK) * BUCKET_WORDS;
    vacate(slab, base, slotHolding(slab, base, hash, address));
    count -= 1;
  }

  function each(visit: (address: number) => void): void {
    for (let bucket = 0; bucket < buckets; bucket++) {
      const slab = slabs[bucket >>> SLAB_BITS] as Int32Array;
      const base = (bucket & SLAB_MASK) * BUCKET_WORDS;
      for (let i = 0; i < 2 * SLOTS; i += 2) if (slab[base + i] !== 0) visit(slab[base + i] as number);
    }
  }

  return {
    ...{ find, touch, insert, replace, remove, each },
    get count() {
      return count;
    },
    get bytes() {
      return (slabs.length << SLAB_BITS) * BUCKET_WORDS * 4 + directory.byteLength;
    },
  };
}
