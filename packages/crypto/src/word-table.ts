/**
 * Word table: finds slots by words that untrusted peers choose.
 *
 *   words --keyed hash--> bucket --> its slots, newest first
 *
 * Typed arrays: fewer cache misses than strings in a Map, no rehashing, no garbage. The caller manages free slots and their data. Words are
 * compared in full, so no answer depends on the hash key, and without it no bucket can be aimed at.
 */
import { assert } from '@slipstream/primitives';
import { HASH_KEY_BYTES, halfSipHash } from './half-sip-hash.ts';

export interface WordTable {
  /** The caller fills it, then calls `aim`. */
  readonly wanted: Int32Array;
  readonly capacity: number;
  /** Hashes `wanted` for the following `put` and `find`. */
  aim(): void;
  put(slot: number): void;
  /** Frees a slot and aims at its former words. */
  remove(slot: number): void;
  /** Or NONE. */
  find(): number;
  /** Or NONE. */
  findAfter(slot: number): number;
  /** Doubles full slots: `first` becomes slot 0, the others follow in circular order. Changes the aim. */
  grow(first: number): void;
}

export const NONE = -1;

/** `capacity`: a power of two. `hashKey`: eight secret bytes. */
export function createWordTable(wordsEach: number, capacity: number, hashKey: Uint8Array): WordTable {
  assert(hashKey.length === HASH_KEY_BYTES, `a hash key has ${HASH_KEY_BYTES} bytes`);
  const key = new DataView(hashKey.slice().buffer);
  const [key0, key1] = [key.getInt32(0, true), key.getInt32(4, true)];
  const wanted = new Int32Array(wordsEach);
  let slots = createSlots(wordsEach, capacity);
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
  /** The next older one of the same bucket. */
  readonly older: Int32Array;
  readonly buckets: Int32Array;
  readonly capacity: number;
  readonly bucketMask: number;
}

/** Twice as many buckets, so that most hold at most one slot. */
function createSlots(wordsEach: number, capacity: number): Slots {
  return {
    words: new Int32Array(capacity * wordsEach),
    older: new Int32Array(capacity).fill(NONE),
    buckets: new Int32Array(2 * capacity).fill(NONE),
    capacity,
    bucketMask: 2 * capacity - 1,
  };
}
