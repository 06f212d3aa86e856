/**
 * Nodes in pages of typed arrays, which grow without copying. A slot is one side of a node: what hangs there, and its hash. All of a node
 * is in one place, since to reach another place costs more than the hash. Levels are read and written at once, so that the loads do
 * not wait for each other.
 *
 *   node                  references of the left and the right slot, their hashes
 *   reference of a slot   0: nothing; above 0: a node; below 0: a bucket (bucket-memory.ts)
 *
 * Node 0 is no node: its left slot holds the root.
 */
import type { IntList } from './int-list.ts';
import { HASH_WORDS, PAIR_WORDS } from './pair-buffer.ts';

export const ROOT_SLOT = 0;

const REF_WORDS = 2;
const NODE_WORDS = REF_WORDS + PAIR_WORDS;
const PAGE_BITS = 12;
const NODES_OF_PAGE = 1 << PAGE_BITS;
const NODE_MASK = NODES_OF_PAGE - 1;

export interface NodeMemory {
  allocate(): number;
  free(node: number): void;
  refOf(slot: number): number;
  setRef(slot: number, ref: number): void;
  /** Reads the nodes at slots into the processor's cache. Done together, the loads do not wait for each other. */
  load(slots: IntList): void;
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
  const pages: Uint32Array[] = [];
  /** What was loaded goes somewhere, or no compiler would load it. */
  const sink = new Uint32Array(1);
  let [next, firstFree, freeCount] = [1, 0, 0];

  const pageOf = (node: number) => pages[node >>> PAGE_BITS] as Uint32Array;
  const baseOf = (node: number) => (node & NODE_MASK) * NODE_WORDS;
  const hashAt = (slot: number) => baseOf(slot >>> 1) + REF_WORDS + (slot & 1) * HASH_WORDS;

  const addPage = () => void pages.push(new Uint32Array(NODES_OF_PAGE * NODE_WORDS));

  const refOf = (slot: number) => (pageOf(slot >>> 1)[baseOf(slot >>> 1) + (slot & 1)] as number) | 0;
  function setRef(slot: number, ref: number): void {
    pageOf(slot >>> 1)[baseOf(slot >>> 1) + (slot & 1)] = ref;
  }

  function allocate(): number {
    if (firstFree === 0) {
      if (next >>> PAGE_BITS === pages.length) addPage();
      return next++;
    }
    const node = firstFree;
    firstFree = refOf(2 * node);
    freeCount -= 1;
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
    load({ values, length }) {
      let sum = 0;
      for (let i = 0; i < length; i++) {
        const node = refOf(values[i] as number);
        if (node <= 0) continue;
        const [page, base] = [pageOf(node), baseOf(node)];
        sum ^= (page[base] as number) ^ (page[base + NODE_WORDS - 1] as number);
      }
      sink[0] = sum;
    },
    readHash: (slot, to, at) => copyWords(pageOf(slot >>> 1), hashAt(slot), to, at, HASH_WORDS),
    writeHash: (slot, from, at) => copyWords(from, at, pageOf(slot >>> 1), hashAt(slot), HASH_WORDS),
    clearHash: (slot) => void pageOf(slot >>> 1).fill(0, hashAt(slot), hashAt(slot) + HASH_WORDS),
    readHashes({ values, length }, to, at) {
      for (let i = 0; i < length; i++) {
        const slot = values[i] as number;
        copyWords(pageOf(slot >>> 1), hashAt(slot), to, at + i * HASH_WORDS, HASH_WORDS);
      }
    },
    writeHashes({ values, length }, from) {
      for (let i = 0; i < length; i++) {
        const slot = values[i] as number;
        copyWords(from, i * HASH_WORDS, pageOf(slot >>> 1), hashAt(slot), HASH_WORDS);
      }
    },
    readPairs({ values, length }, to) {
      for (let i = 0; i < length; i++) {
        const node = values[i] as number;
        copyWords(pageOf(node), baseOf(node) + REF_WORDS, to, i * PAIR_WORDS, PAIR_WORDS);
      }
    },
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
