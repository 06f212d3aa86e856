/**
 * Nodes in pages of typed arrays, which grow without copying. A slot is one side of a node: what hangs there, and its hash.
 *
 *   reference of a slot   0: nothing; above 0: a node; below 0: a bucket (bucket-memory.ts)
 *
 * Node 0 is no node: its left slot holds the root.
 */
import { HASH_WORDS } from './pair-buffer.ts';

export const ROOT_SLOT = 0;

const PAGE_BITS = 12;
const SLOTS_OF_PAGE = 2 << PAGE_BITS;
const SLOT_BITS = PAGE_BITS + 1;
const SLOT_MASK = SLOTS_OF_PAGE - 1;

export interface NodeMemory {
  allocate(): number;
  free(node: number): void;
  refOf(slot: number): number;
  setRef(slot: number, ref: number): void;
  /** Copies the hash of a slot to `to` at `at`. */
  readHash(slot: number, to: Uint32Array, at: number): void;
  writeHash(slot: number, from: Uint32Array, at: number): void;
  clearHash(slot: number): void;
  /** Both hashes of a node. */
  readPair(node: number, to: Uint32Array, at: number): void;
  writePair(node: number, from: Uint32Array, at: number): void;
  readonly nodes: number;
  readonly bytes: number;
}

export function createNodeMemory(): NodeMemory {
  const refPages: Int32Array[] = [];
  const hashPages: Uint32Array[] = [];
  let [next, firstFree, freeCount] = [1, 0, 0];

  const refsOf = (slot: number) => refPages[slot >>> SLOT_BITS] as Int32Array;
  const hashesOf = (slot: number) => hashPages[slot >>> SLOT_BITS] as Uint32Array;

  function addPage(): void {
    refPages.push(new Int32Array(SLOTS_OF_PAGE));
    hashPages.push(new Uint32Array(SLOTS_OF_PAGE * HASH_WORDS));
  }

  function copyOut(slot: number, to: Uint32Array, at: number, words: number): void {
    const [page, from] = [hashesOf(slot), (slot & SLOT_MASK) * HASH_WORDS];
    for (let j = 0; j < words; j++) to[at + j] = page[from + j] as number;
  }

  function copyIn(slot: number, from: Uint32Array, at: number, words: number): void {
    const [page, to] = [hashesOf(slot), (slot & SLOT_MASK) * HASH_WORDS];
    for (let j = 0; j < words; j++) page[to + j] = from[at + j] as number;
  }

  function clear(slot: number, slots: number): void {
    const from = (slot & SLOT_MASK) * HASH_WORDS;
    hashesOf(slot).fill(0, from, from + slots * HASH_WORDS);
  }

  const refOf = (slot: number) => refsOf(slot)[slot & SLOT_MASK] as number;
  function setRef(slot: number, ref: number): void {
    refsOf(slot)[slot & SLOT_MASK] = ref;
  }

  function allocate(): number {
    let node = firstFree;
    if (node === 0) {
      if (next >>> PAGE_BITS === refPages.length) addPage();
      node = next++;
    } else {
      firstFree = refOf(2 * node);
      freeCount -= 1;
    }
    setRef(2 * node, 0);
    setRef(2 * node + 1, 0);
    clear(2 * node, 2);
    return node;
  }

  addPage();
  return {
    allocate,
    /** Free nodes are a list through their left slots. */
    free(node) {
      setRef(2 * node, firstFree);
      firstFree = node;
      freeCount += 1;
    },
    refOf,
    setRef,
    readHash: (slot, to, at) => copyOut(slot, to, at, HASH_WORDS),
    writeHash: (slot, from, at) => copyIn(slot, from, at, HASH_WORDS),
    clearHash: (slot) => clear(slot, 1),
    readPair: (node, to, at) => copyOut(2 * node, to, at, 2 * HASH_WORDS),
    writePair: (node, from, at) => copyIn(2 * node, from, at, 2 * HASH_WORDS),
    get nodes() {
      return next - 1 - freeCount;
    },
    get bytes() {
      return refPages.length * SLOTS_OF_PAGE * 4 * (1 + HASH_WORDS);
    },
  };
}
