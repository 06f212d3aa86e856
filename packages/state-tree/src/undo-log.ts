/**
 * What a block changed: nodes as they were, and what it allocated and let go of.
 *
 *   undo     nodes back, newest record first; what was allocated is free
 *   release  what was let go of is free: the block is committed
 */
import type { BucketMemory } from './bucket-memory.ts';
import { createIntList, type IntList, push } from './int-list.ts';
import { NODE_WORDS, type NodeMemory, REF_WORDS } from './node-memory.ts';
import { HASH_WORDS } from './pair-buffer.ts';

const FIRST_NODES = 256;

export interface UndoLog {
  readonly newNodes: IntList;
  readonly oldNodes: IntList;
  readonly newBuckets: IntList;
  readonly oldBuckets: IntList;
  /** Records a node before it changes. */
  save(node: number): void;
  undo(): void;
  release(): void;
  /** The first record of a node: as it was before the block. */
  find(node: number): number | undefined;
  refAt(record: number, side: number): number;
  readHash(record: number, side: number, to: Uint32Array, at: number): void;
  readonly bytes: number;
}

interface Memory {
  readonly nodes: NodeMemory;
  readonly buckets: BucketMemory;
}

export function createUndoLog({ nodes, buckets }: Memory): UndoLog {
  const saved = createIntList();
  let words = new Uint32Array(NODE_WORDS * FIRST_NODES);
  const [newNodes, oldNodes] = [createIntList(), createIntList()];
  const [newBuckets, oldBuckets] = [createIntList(), createIntList()];
  const places = new Map<number, number>();
  let placed = 0;

  function grow(): void {
    const grown = new Uint32Array(2 * words.length);
    grown.set(words);
    words = grown;
  }

  function clear(): void {
    for (const list of [saved, newNodes, oldNodes, newBuckets, oldBuckets]) list.length = 0;
    places.clear();
    placed = 0;
  }

  const freeAll = ({ values, length }: IntList, free: (each: number) => void) => {
    for (let i = 0; i < length; i++) free(values[i] as number);
  };

  return {
    newNodes,
    oldNodes,
    newBuckets,
    oldBuckets,
    save(node) {
      const record = saved.length;
      if (NODE_WORDS * record === words.length) grow();
      push(saved, node);
      nodes.readNode(node, words, NODE_WORDS * record);
    },
    undo() {
      for (let record = saved.length - 1; record >= 0; record--)
        nodes.writeNode(saved.values[record] as number, words, NODE_WORDS * record);
      freeAll(newNodes, nodes.free);
      freeAll(newBuckets, buckets.free);
      clear();
    },
    release() {
      freeAll(oldNodes, nodes.free);
      freeAll(oldBuckets, buckets.free);
      clear();
    },
    find(node) {
      for (; placed < saved.length; placed++) {
        const each = saved.values[placed] as number;
        if (!places.has(each)) places.set(each, placed);
      }
      return places.get(node);
    },
    refAt: (record, side) => (words[NODE_WORDS * record + side] as number) | 0,
    readHash(record, side, to, at) {
      const from = NODE_WORDS * record + REF_WORDS + side * HASH_WORDS;
      for (let j = 0; j < HASH_WORDS; j++) to[at + j] = words[from + j] as number;
    },
    get bytes() {
      return 4 * words.length;
    },
  };
}
