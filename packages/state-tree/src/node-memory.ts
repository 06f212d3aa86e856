/**
 * Nodes in pages of typed arrays, which grow without copying. A slot is one side of a node: what hangs there, and its hash. All of a node
 * is in one place, since to reach another place costs more than the hash.
 *
 *   node                  references of the left and the right slot, their hashes
 *   reference of a slot   0: nothing; above 0: a node; below 0: a bucket (bucket-memory.ts)
 *
 * Node 0 is no node: its left slot holds the root.
 */
import { HASH_WORDS, PAIR_WORDS } from './pair-buffer.ts';

export const ROOT_NODE = 0;
export const ROOT_SLOT = 0;

export const REF_WORDS = 2;
export const NODE_WORDS = REF_WORDS + PAIR_WORDS;
const PAGE_BITS = 12;
const NODES_OF_PAGE = 1 << PAGE_BITS;
const NODE_MASK = NODES_OF_PAGE - 1;

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
  /** All NODE_WORDS. */
  readNode(node: number, to: Uint32Array, at: number): void;
  writeNode(node: number, from: Uint32Array, at: number): void;
  readonly nodes: number;
  readonly bytes: number;
}

export function createNodeMemory(): NodeMemory {
  const pages: Uint32Array[] = [];
  let [next, firstFree, freeCount] = [1, 0, 0];

  const pageOf = (node: number) => pages[node >>> PAGE_BITS] as Uint32Array;
  const baseOf = (node: number) => (node & NODE_MASK) * NODE_WORDS;
  const hashOf = (slot: number) => baseOf(slot >>> 1) + REF_WORDS + (slot & 1) * HASH_WORDS;

  const addPage = () => void pages.push(new Uint32Array(NODES_OF_PAGE * NODE_WORDS));

  const refOf = (slot: number) => (pageOf(slot >>> 1)[baseOf(slot >>> 1) + (slot & 1)] as number) | 0;
  function setRef(slot: number, ref: number): void {
    pageOf(slot >>> 1)[baseOf(slot >>> 1) + (slot & 1)] = ref;
  }

  function allocate(): number {
    let node = firstFree;
    if (node === 0) {
      if (next >>> PAGE_BITS === pages.length) addPage();
      node = next++;
    } else {
      firstFree = refOf(2 * node);
      freeCount -= 1;
    }
    pageOf(node).fill(0, baseOf(node), baseOf(node) + NODE_WORDS);
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
    readHash: (slot, to, at) => copyWords(pageOf(slot >>> 1), hashOf(slot), to, at, HASH_WORDS),
    writeHash: (slot, from, at) => copyWords(from, at, pageOf(slot >>> 1), hashOf(slot), HASH_WORDS),
    clearHash: (slot) => void pageOf(slot >>> 1).fill(0, hashOf(slot), hashOf(slot) + HASH_WORDS),
    readPair: (node, to, at) => copyWords(pageOf(node), baseOf(node) + REF_WORDS, to, at, PAIR_WORDS),
    readNode: (node, to, at) => copyWords(pageOf(node), baseOf(node), to, at, NODE_WORDS),
    writeNode: (node, from, at) => copyWords(from, at, pageOf(node), baseOf(node), NODE_WORDS),
    get nodes() {
      return next - 1 - freeCount;
    },
    get bytes() {
      return pages.length * NODES_OF_PAGE * NODE_WORDS * 4;
    },
  };
}

/** A loop: for so few words `set` takes longer. */
function copyWords(from: Uint32Array, fromAt: number, to: Uint32Array, toAt: number, words: number): void {
  for (let j = 0; j < words; j++) to[toAt + j] = from[fromAt + j] as number;
}
