/** Looking for keys in a bucket of the key table, one or many. */
import { CELL_HEAD_WORDS, type Cells, keyBytesOf, PAGE_MASK } from './cells.ts';
import { keyBytesOfHead } from './format.ts';
import { entryAt, NUMBER_BITS, type Ordered, SLOT_MASK, type Slab, tagOf } from './key-bucket.ts';
import { RANGE } from './ranges.ts';
import { sameWords, wordsFor } from './words.ts';

/** Keys of records to be looked up together. */
export interface Sought extends Ordered {
  readonly words: Int32Array;
  /** Of each number: where its key begins in `words`, and the head that tells its length. */
  readonly keyAt: Int32Array;
  readonly head: Int32Array;
}

interface KeySearch {
  /** Address of the cell of the key of `keyBytes` bytes at `key[at]`, or 0. */
  find(slab: Slab, base: number, key: Int32Array, at: number, keyBytes: number, hash: number): number;
  /** Fills in `found` of the numbers order[from, end), at most STRETCH and all of this bucket, where there is an address. */
  findRun(slab: Slab, base: number, sought: Sought, from: number, end: number, found: Int32Array): void;
}

export function createKeySearch(cells: Cells): KeySearch {
  /** Keys that are left, by their place in the order; and those whose tag was alike, with the slot that has it. */
  const left = new Int32Array(RANGE);
  const alikeKeys = new Int32Array(RANGE);
  const alikeSlots = new Int32Array(RANGE);

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
    for (let at = from; at < end; at++) left[at - from] = at;
    for (let step = 0, keys = end - from; keys > 0; step++) keys = findFurther(slab, base, sought, step, keys, found);
  }

  /**
   * Goes one slot further with all keys that are left, and returns how many are left then. A loop over keys that probes each
   * to its end hardly ever guesses right how many slots that takes, and a wrong guess costs more than a slot: so a round has
   * no branch but its own, and which keys are left is computed.
   */
  function findFurther(
    slab: Slab,
    base: number,
    sought: Sought,
    step: number,
    keys: number,
    found: Int32Array,
  ): number {
    const { slots } = slab;
    const { sorted } = sought;
    let next = 0;
    let alike = 0;
    for (let k = 0; k < keys; k++) {
      const at = left[k] as number;
      const hash = sorted[at] as number;
      const seen = slots[2 * base + ((hash + step) & SLOT_MASK)] as number;
      const isTaken = (0 - seen) >>> 31;
      const isTagged = (((seen >>> NUMBER_BITS) ^ tagOf(hash)) - 1) >>> 31;
      left[next] = at;
      next += isTaken;
      alikeKeys[alike] = at;
      alikeSlots[alike] = seen;
      alike += isTaken & isTagged;
    }
    decideEach(slab, base, sought, alike, found);
    return next;
  }

  /** Apart from the loop above, which V8 else compiles without this one and gives up at the first key that is alike, each time. */
  function decideEach(slab: Slab, base: number, sought: Sought, alike: number, found: Int32Array): void {
    for (let k = 0; k < alike; k++) {
      decide(slab, entryAt(base, alikeSlots[k] as number), sought, alikeKeys[k] as number, found);
    }
  }

  function decide({ words }: Slab, entry: number, sought: Sought, at: number, found: Int32Array): void {
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
