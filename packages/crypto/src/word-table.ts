/**
 * Word table: finds the slots that hold the same words, where strangers choose the words.
 *
 *   words --keyed hash--> bucket --> its slots, the last put first
 *
 * Ids by the hundred thousand. As texts in a Map or Set each lookup missed the cache three times, all was laid out anew each time as many had
 * come and gone, and the collector copied and marked every text. Here they lie in typed arrays that it never looks into.
 *
 * Which slot is free is the caller's to know, and what else belongs to it. The hash chooses a bucket and nothing else: words are compared in
 * full, so no answer depends on the key, and nobody who does not know it can aim at a bucket.
 */
import { assert } from '@slipstream/primitives';
import { HASH_KEY_BYTES, halfSipHash } from './half-sip-hash.ts';

export interface WordTable {
  /** Filled by the caller, in any order of bytes, and then aimed at. */
  readonly wanted: Int32Array;
  readonly capacity: number;
  /** What is wanted now is what `put` and `find` are about. Hashed once for all of them. */
  aim(): void;
  /** What is wanted fills a slot that is free. */
  put(slot: number): void;
  /** Frees a slot, and aims at what it held. */
  remove(slot: number): void;
  /** The slot that was last put of those that hold what is wanted, or NONE. */
  find(): number;
  /** The next one that holds what is wanted, or NONE. */
  findAfter(slot: number): number;
  /** To twice as many slots, once all are in use: `first` becomes the first of all, the others follow in turn. It aims elsewhere. */
  grow(first: number): void;
}

/** No slot. */
export const NONE = -1;

/** `capacity`: a power of two. `hashKey`: eight secret bytes. */
export function createWordTable(wordsEach: number, capacity: number, hashKey: Uint8Array): WordTable {
  assert(hashKey.length === HASH_KEY_BYTES, `a hash key has ${HASH_KEY_BYTES} bytes`);
  const key = new DataView(hashKey.slice().buffer);
  const [key0, key1] = [key.getInt32(0, true), key.getInt32(4, true)];
  const wanted = new Int32Array(wordsEach);
  let slots = createSlots(wordsEach, capacity);
  /** Aimed at. */
  let bucket = 0;

  function aim(): void {
    bucket = halfSipHash(wanted, wordsEach, key0, key1) & slots.bucketMask;
  }

  function put(slot: number): void {
    const { words, older, buckets } = slots;
    for (let i = 0; i < wordsEach; i++) words[slot * wordsEach + i] = wanted[i] as number;
    older[slot] = buckets[bucket] as number;
    buckets[bucket] = slot;
  }

  function load(slot: number): void {
    const { words } = slots;
    for (let i = 0; i < wordsEach; i++) wanted[i] = words[slot * wordsEach + i] as number;
  }

  function isWanted(slot: number): boolean {
    const { words } = slots;
    let same = 0;
    while (same < wordsEach && words[slot * wordsEach + same] === wanted[same]) same++;
    return same === wordsEach;
  }

  function firstWanted(from: number): number {
    const { older } = slots;
    let slot = from;
    while (slot !== NONE && !isWanted(slot)) slot = older[slot] as number;
    return slot;
  }

  return {
    wanted,
    get capacity() {
      return slots.capacity;
    },
    aim,
    put,
    remove(slot) {
      load(slot);
      aim();
      const { older, buckets } = slots;
      let at = buckets[bucket] as number;
      if (at === slot) {
        buckets[bucket] = older[slot] as number;
        return;
      }
      while (older[at] !== slot) at = older[at] as number;
      older[at] = older[slot] as number;
    },
    find: () => firstWanted(slots.buckets[bucket] as number),
    findAfter: (slot) => firstWanted(slots.older[slot] as number),
    grow(first) {
      const { words, capacity: before } = slots;
      slots = createSlots(wordsEach, 2 * before);
      slots.words.set(words.subarray(first * wordsEach));
      slots.words.set(words.subarray(0, first * wordsEach), (before - first) * wordsEach);
      for (let slot = 0; slot < before; slot++) {
        load(slot);
        aim();
        put(slot);
      }
    },
  };
}

interface Slots {
  readonly words: Int32Array;
  /** The next one of the same bucket, put earlier. */
  readonly older: Int32Array;
  readonly buckets: Int32Array;
  readonly capacity: number;
  readonly bucketMask: number;
}

/** Twice as many buckets, so that most hold one or none. */
function createSlots(wordsEach: number, capacity: number): Slots {
  return {
    words: new Int32Array(capacity * wordsEach),
    older: new Int32Array(capacity).fill(NONE),
    buckets: new Int32Array(2 * capacity).fill(NONE),
    capacity,
    bucketMask: 2 * capacity - 1,
  };
}
