/**
 * Nodes in pages of typed arrays, which grow without copying. A slot is one side of a node: what hangs there, and its hash.
 * References have pages of their own: the way down reads nothing else, and those of a million keys fit into the processor's cache. Hashes
 * are read and written a level at a time, so that the loads do not wait for each other.
 *
 *   reference of a slot   0: nothing; above 0: a node; below 0: a bucket (bucket-memory.ts)
 *
 * Node 0 is no node: its left slot holds the root.
 */
import type { IntList } from './int-list.ts';
import { HASH_WORDS, PAIR_WORDS } from './pair-buffer.ts';

export const ROOT_SLOT = 0;

const SLOTS_OF_NODE = 2;
const PAGE_BITS = 12;
const NODES_OF_PAGE = 1 << PAGE_BITS;
const NODE_MASK = NODES_OF_PAGE - 1;
const SLOT_BITS = PAGE_BITS + 1;
const SLOT_MASK = (1 << SLOT_BITS) - 1;

export interface NodeMemory {
  allocate(): number;
  free(node: number): void;
  refOf(slot: number): number;
  setRef(slot: number, ref: number): void;
  /** Copies the hash of a slot to `to` at `at`. */
  readHash(slot: number, to: Uint32Array, at: number): void;
  writeHash(slot: number, from: Uint32Array, at: number): void;
  clearHash(slot: number): void;
  /** The hashes of slots, one behind the other from `at` on. */
  readHashes(slots: IntList, to: Uint32Array, at: number): void;
  /** From the beginning of `from` on. */
  writeHashes(slots: IntList, from: Uint32Array): void;
  /** Both hashes of each node, to the beginning of `to`. */
  readPairs(nodes: IntList, to: Uint32Array): void;
  readonly nodes: number;
  readonly bytes: number;
}

export function createNodeMemory(): NodeMemory {
  const refPages: Int32Array[] = [];
  const hashPages: Uint32Array[] = [];
  let [next, firstFree, freeCount] = [1, 0, 0];

  const hashesOf = (slot: number) => hashPages[slot >>> SLOT_BITS] as Uint32Array;
  const hashAt = (slot: number) => (slot & SLOT_MASK) * HASH_WORDS;

  function addPage(): void {
    refPages.push(new Int32Array(NODES_OF_PAGE * SLOTS_OF_NODE));
    hashPages.push(new Uint32Array(NODES_OF_PAGE * PAIR_WORDS));
  }

  const refOf = (slot: number) => (refPages[slot >>> SLOT_BITS] as Int32Array)[slot & SLOT_MASK] as number;
  function setRef(slot: number, ref: number): void {
    (refPages[slot >>> SLOT_BITS] as Int32Array)[slot & SLOT_MASK] = ref;
  }

  const clearHash = (slot: number) => void hashesOf(slot).fill(0, hashAt(slot), hashAt(slot) + HASH_WORDS);

  function allocate(): number {
    let node = firstFree;
    if (node === 0) {
      if (next >>> PAGE_BITS === refPages.length) addPage();
      node = next++;
      return node;
    }
    firstFree = refOf(2 * node);
    freeCount -= 1;
    for (const slot of [2 * node, 2 * node + 1]) {
      setRef(slot, 0);
      clearHash(slot);
    }
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
    readHash: (slot, to, at) => copyWords(hashesOf(slot), hashAt(slot), to, at, HASH_WORDS),
    writeHash: (slot, from, at) => copyWords(from, at, hashesOf(slot), hashAt(slot), HASH_WORDS),
    clearHash,
    readHashes({ values, length }, to, at) {
      for (let i = 0; i < length; i++) {
        const slot = values[i] as number;
        copyWords(hashesOf(slot), hashAt(slot), to, at + i * HASH_WORDS, HASH_WORDS);
      }
    },
    writeHashes({ values, length }, from) {
      for (let i = 0; i < length; i++) {
        const slot = values[i] as number;
        copyWords(from, i * HASH_WORDS, hashesOf(slot), hashAt(slot), HASH_WORDS);
      }
    },
    readPairs({ values, length }, to) {
      for (let i = 0; i < length; i++) {
        const node = values[i] as number;
        const page = hashPages[node >>> PAGE_BITS] as Uint32Array;
        copyWords(page, (node & NODE_MASK) * PAIR_WORDS, to, i * PAIR_WORDS, PAIR_WORDS);
      }
    },
    get nodes() {
      return next - 1 - freeCount;
    },
    get bytes() {
      return refPages.length * NODES_OF_PAGE * (SLOTS_OF_NODE + PAIR_WORDS) * 4;
    },
  };
}

/** A loop: for so few words `set` takes longer. */
function copyWords(from: Uint32Array, fromAt: number, to: Uint32Array, toAt: number, words: number): void {
  for (let j = 0; j < words; j++) to[toAt + j] = from[fromAt + j] as number;
}
