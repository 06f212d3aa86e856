/** Finds one or many keys in a bucket of the key table. */

import { keyBytesOfHead } from '../log/format.ts';
import { RANGE } from '../typed-arrays/ranges.ts';
import { sameWords, wordsFor } from '../typed-arrays/word-arrays.ts';
import { CELL_HEAD_WORDS, type Cells, keyBytesOf, PAGE_MASK } from './cells.ts';
import { entryAt, NUMBER_BITS, type Ordered, SLOT_MASK, type Slab, tagOf } from './key-bucket.ts';

export interface Sought extends Ordered {
  readonly words: Int32Array;
  /** By number: where the key is in `words`, and the head with its length. */
  readonly keyAt: Int32Array;
  readonly head: Int32Array;
}

export interface KeySearch {
  /** Address of the cell of the `keyBytes` bytes at `key[at]`, or 0. */
  find(slab: Slab, base: number, key: Int32Array, at: number, keyBytes: number, hash: number): number;
  /** Sets `found` for those of order[from, end) that exist: at most RANGE, all of this bucket. */
  findRun(slab: Slab, base: number, sought: Sought, from: number, end: number, found: Int32Array): void;
}

export function createKeySearch(cells: Cells): KeySearch {
  /** Remaining keys by place in the order; keys whose tag matches, and their slots. */
  const remaining = new Int32Array(RANGE);
  const candidateKeys = new Int32Array(RANGE);
  const candidateSlots = new Int32Array(RANGE);

  function find(
    { words, slots }: Slab,
    base: number,
    key: Int32Array,
    at: number,
    keyBytes: number,
    hash: number,
  ): number {
    const tag = tagOf(hash);
    for (let slot = hash & SLOT_MASK; ; slot = (slot + 1) & SLOT_MASK) {
      const seen = slots[2 * base + slot] as number;
      if (seen === 0) return 0;
      if (seen >>> NUMBER_BITS !== tag) continue;
      const entry = entryAt(base, seen);
      if (words[entry + 1] !== hash) continue;
      const address = words[entry] as number;
      if (isKeyOf(address, key, at, keyBytes)) return address;
    }
  }

  function findRun(slab: Slab, base: number, sought: Sought, from: number, end: number, found: Int32Array): void {
    for (let at = from; at < end; at++) remaining[at - from] = at;
    for (let step = 0, keys = end - from; keys > 0; step++) keys = probeOnce(slab, base, sought, step, keys, found);
  }

  /**
   * Probes one more slot per remaining key. Returns the number still remaining. Without a data-dependent branch: mispredicting the number
   * of probes per key costs more than a probe.
   */
  function probeOnce(slab: Slab, base: number, sought: Sought, step: number, keys: number, found: Int32Array): number {
    const { slots } = slab;
    const { sorted } = sought;
    let next = 0;
    let candidates = 0;
    for (let k = 0; k < keys; k++) {
      const at = remaining[k] as number;
      const hash = sorted[at] as number;
      const seen = slots[2 * base + ((hash + step) & SLOT_MASK)] as number;
      const isTaken = (0 - seen) >>> 31;
      const isTagged = (((seen >>> NUMBER_BITS) ^ tagOf(hash)) - 1) >>> 31;
      remaining[next] = at;
      next += isTaken;
      candidateKeys[candidates] = at;
      candidateSlots[candidates] = seen;
      candidates += isTaken & isTagged;
    }
    checkCandidates(slab, base, sought, candidates, found);
    return next;
  }

  /** A function of its own: V8 would compile the loop above without this branch, and deoptimize it at each first match. */
  function checkCandidates(slab: Slab, base: number, sought: Sought, candidates: number, found: Int32Array): void {
    for (let k = 0; k < candidates; k++) {
      checkCandidate(slab, entryAt(base, candidateSlots[k] as number), sought, candidateKeys[k] as number, found);
    }
  }

  function checkCandidate({ words }: Slab, entry: number, sought: Sought, at: number, found: Int32Array): void {
    if (words[entry + 1] !== sought.sorted[at]) return;
    const number = sought.order[at] as number;
    const keyAt = sought.keyAt[number] as number;
    const address = words[entry] as number;
    if (isKeyOf(address, sought.words, keyAt, keyBytesOfHead(sought.head[number] as number))) found[number] = address;
  }

  function isKeyOf(address: number, words: Int32Array, at: number, keyBytes: number): boolean {
    const page = cells.page(address);
    const cell = address & PAGE_MASK;
    if (keyBytesOf(page[cell + 1] as number) !== keyBytes) return false;
    return sameWords(page, cell + CELL_HEAD_WORDS, words, at, wordsFor(keyBytes));
  }

  return { find, findRun };
}
