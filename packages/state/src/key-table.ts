/**
 * Hash table from keys to cells: extendible hashing over small open-addressed buckets.
 *
 *   hash --high bits--> directory --> bucket --low bits, linear probing--> (address, hash)
 *
 * A full bucket splits in two, which touches it alone (about 20 us): the table never stops to grow as a whole. Buckets split
 * at thresholds spread between 55 and 85 percent, or all of them would reach theirs within the same few blocks.
 * A slot takes 8 bytes, a key 12 to 16.
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
const BUCKET_WORDS = COUNT + 3;
const LIMIT_LEAST = Math.floor(SLOTS * 0.55);
const LIMIT_SPREAD = Math.floor(SLOTS * 0.3);
/** Directory of a million buckets: three billion keys. */
const DEPTH_MAX = 32 - SLOT_BITS;

export interface KeyTable {
  /** Address of the cell of the key of `keyBytes` bytes at `words[at]`, or 0. */
  find(words: Int32Array, at: number, keyBytes: number, hash: number): number;
  /** The key must not be in the table. */
  insert(hash: number, address: number): void;
  /** The old address must be in the table. */
  replace(hash: number, from: number, to: number): void;
  remove(hash: number, address: number): void;
  each(visit: (address: number) => void): void;
  readonly count: number;
  readonly bytes: number;
}

function createBucket(depth: number, prefix: number): Int32Array {
  const bucket = new Int32Array(BUCKET_WORDS);
  bucket[DEPTH] = depth;
  const spread = Math.imul(prefix * 2 + 1, 0x9e3779b1) >>> 16;
  bucket[LIMIT] = LIMIT_LEAST + (spread % LIMIT_SPREAD);
  return bucket;
}

function place(bucket: Int32Array, hash: number, address: number): void {
  let slot = hash & SLOT_MASK;
  while (bucket[2 * slot] !== 0) slot = (slot + 1) & SLOT_MASK;
  bucket[2 * slot] = address;
  bucket[2 * slot + 1] = hash;
  bucket[COUNT] = (bucket[COUNT] as number) + 1;
}

function slotHolding(bucket: Int32Array, hash: number, address: number): number {
  let slot = hash & SLOT_MASK;
  while (bucket[2 * slot] !== address) {
    assert(bucket[2 * slot] !== 0, 'the address is in the table');
    slot = (slot + 1) & SLOT_MASK;
  }
  return slot;
}

/** Empties a slot and moves later ones of its run back, so that no probe meets a hole before its key. */
function vacate(bucket: Int32Array, slot: number): void {
  let hole = slot;
  for (let at = (hole + 1) & SLOT_MASK; bucket[2 * at] !== 0; at = (at + 1) & SLOT_MASK) {
    const home = (bucket[2 * at + 1] as number) & SLOT_MASK;
    if (((at - home) & SLOT_MASK) < ((at - hole) & SLOT_MASK)) continue;
    bucket[2 * hole] = bucket[2 * at] as number;
    bucket[2 * hole + 1] = bucket[2 * at + 1] as number;
    hole = at;
  }
  bucket[2 * hole] = 0;
  bucket[COUNT] = (bucket[COUNT] as number) - 1;
}

export function createKeyTable(cells: Cells): KeyTable {
  let directory: Int32Array[] = [createBucket(0, 0)];
  let depth = 0;
  let buckets = 1;
  let count = 0;

  function indexOf(hash: number): number {
    return depth === 0 ? 0 : hash >>> (32 - depth);
  }

  function find(words: Int32Array, at: number, keyBytes: number, hash: number): number {
    const bucket = directory[indexOf(hash)] as Int32Array;
    for (let slot = hash & SLOT_MASK; ; slot = (slot + 1) & SLOT_MASK) {
      const address = bucket[2 * slot] as number;
      if (address === 0) return 0;
      if (bucket[2 * slot + 1] !== hash) continue;
      const page = cells.page(address);
      const cell = address & PAGE_MASK;
      if (keyBytesOf(page[cell + 1] as number) !== keyBytes) continue;
      if (sameWords(page, cell + CELL_HEAD_WORDS, words, at, wordsFor(keyBytes))) return address;
    }
  }

  function split(hash: number): void {
    const bucket = directory[indexOf(hash)] as Int32Array;
    const local = bucket[DEPTH] as number;
    assert(local < DEPTH_MAX, 'a bucket of the key table can split');
    if (local === depth) {
      directory = directory.flatMap((each) => [each, each]);
      depth += 1;
    }
    const prefix = local === 0 ? 0 : hash >>> (32 - local);
    const halves = [createBucket(local + 1, prefix * 2), createBucket(local + 1, prefix * 2 + 1)] as const;
    for (let slot = 0; slot < SLOTS; slot++) {
      const address = bucket[2 * slot] as number;
      const each = bucket[2 * slot + 1] as number;
      if (address !== 0) place(halves[((each >>> (31 - local)) & 1) as 0 | 1], each, address);
    }
    const span = 2 ** (depth - local);
    for (let i = 0; i < span; i++) directory[prefix * span + i] = halves[i < span / 2 ? 0 : 1];
    buckets += 1;
  }

  function insert(hash: number, address: number): void {
    let bucket = directory[indexOf(hash)] as Int32Array;
    while ((bucket[COUNT] as number) >= (bucket[LIMIT] as number)) {
      split(hash);
      bucket = directory[indexOf(hash)] as Int32Array;
    }
    place(bucket, hash, address);
    count += 1;
  }

  return {
    find,
    insert,
    replace(hash, from, to) {
      const bucket = directory[indexOf(hash)] as Int32Array;
      bucket[2 * slotHolding(bucket, hash, from)] = to;
    },
    remove(hash, address) {
      const bucket = directory[indexOf(hash)] as Int32Array;
      vacate(bucket, slotHolding(bucket, hash, address));
      count -= 1;
    },
    each(visit) {
      for (const bucket of new Set(directory)) {
        for (let slot = 0; slot < SLOTS; slot++) if (bucket[2 * slot] !== 0) visit(bucket[2 * slot] as number);
      }
    },
    get count() {
      return count;
    },
    get bytes() {
      return buckets * BUCKET_WORDS * 4 + directory.length * 8;
    },
  };
}
