/**
 * Id window: which transactions the blocks of the last minute executed, oldest let go first.
 *
 *   add --> ring, newest ... oldest --forgetOldest--> gone          has --keyed hash--> bucket --> its entries, newest first
 *
 * 120,000 ids at 2,000 a second. As a Set of texts they took a tenth of what a transaction costs a main thread: three cache misses to find
 * one, all laid out anew each time as many had come and gone, and each text copied and marked by the collector. Here they lie in typed
 * arrays. The ring doubles when it is full, and stays as large as the busiest minute was: 32 bytes an id.
 *
 * An id is known by its first 128 bits: they are of a hash, and nobody finds another transaction with those of a given one. A bucket is
 * chosen by a keyed hash, so nobody can aim at one.
 */
import { halfSipHash } from '@slipstream/crypto';

export interface IdWindow {
  /** Lower-case hex, no prefix. */
  add(id: string): void;
  has(id: string): boolean;
  forgetOldest(count: number): void;
  readonly size: number;
}

const WORDS = 4;
const WORD_DIGITS = 8;
const NONE = -1;
/** A block of a busy chain. */
const CAPACITY_FIRST = 1_024;

/** `hashKey`: eight secret bytes. */
export function createIdWindow(hashKey: Uint8Array): IdWindow {
  const key = new DataView(hashKey.slice().buffer);
  const [key0, key1] = [key.getInt32(0, true), key.getInt32(4, true)];
  const wanted = new Int32Array(WORDS);
  let ring = createRing(CAPACITY_FIRST);
  /** Of the oldest, and one after the newest: they only grow, and their low bits are a place in the ring. */
  let first = 0;
  let end = 0;

  function load(id: string): void {
    for (let i = 0; i < WORDS; i++) wanted[i] = wordOf(id, i * WORD_DIGITS);
  }

  function bucketOfWanted(): number {
    return halfSipHash(wanted, WORDS, key0, key1) & ring.bucketMask;
  }

  function put(): void {
    const slot = end++ & ring.mask;
    const bucket = bucketOfWanted();
    ring.words.set(wanted, slot * WORDS);
    ring.older[slot] = ring.buckets[bucket] as number;
    ring.buckets[bucket] = slot;
  }

  function grow(): void {
    const before = ring;
    const [from, to] = [first, end];
    ring = createRing(2 * (before.mask + 1));
    first = 0;
    end = 0;
    for (let at = from; at < to; at++) {
      loadFrom(before, at & before.mask);
      put();
    }
  }

  function loadFrom({ words }: Ring, slot: number): void {
    for (let i = 0; i < WORDS; i++) wanted[i] = words[slot * WORDS + i] as number;
  }

  function isWanted(slot: number): boolean {
    let same = 0;
    while (same < WORDS && ring.words[slot * WORDS + same] === wanted[same]) same++;
    return same === WORDS;
  }

  /** The oldest of all is the last of its bucket. */
  function forgetOne(): void {
    const slot = first++ & ring.mask;
    loadFrom(ring, slot);
    const bucket = bucketOfWanted();
    let at = ring.buckets[bucket] as number;
    if (at === slot) {
      ring.buckets[bucket] = NONE;
      return;
    }
    while (ring.older[at] !== slot) at = ring.older[at] as number;
    ring.older[at] = NONE;
  }

  return {
    add(id) {
      if (end - first > ring.mask) grow();
      load(id);
      put();
    },
    has(id) {
      load(id);
      for (let at = ring.buckets[bucketOfWanted()] as number; at !== NONE; at = ring.older[at] as number) {
        if (isWanted(at)) return true;
      }
      return false;
    },
    forgetOldest(count) {
      for (let i = 0; i < count && first < end; i++) forgetOne();
    },
    get size() {
      return end - first;
    },
  };
}

interface Ring {
  readonly words: Int32Array;
  /** The next older one of the same bucket. */
  readonly older: Int32Array;
  readonly buckets: Int32Array;
  readonly mask: number;
  readonly bucketMask: number;
}

/** `capacity`: a power of two. Twice as many buckets, so that most hold one or none. */
function createRing(capacity: number): Ring {
  return {
    words: new Int32Array(capacity * WORDS),
    older: new Int32Array(capacity).fill(NONE),
    buckets: new Int32Array(2 * capacity).fill(NONE),
    mask: capacity - 1,
    bucketMask: 2 * capacity - 1,
  };
}

/** Of eight hexadecimal digits: 0 to 9 are 0x30 to 0x39, a to f are 0x61 to 0x66. */
function wordOf(id: string, from: number): number {
  let word = 0;
  for (let at = from; at < from + WORD_DIGITS; at++) {
    const code = id.charCodeAt(at);
    word = (word << 4) | ((code & 15) + 9 * (code >> 6));
  }
  return word;
}
