/**
 * What a block changed: nodes as they were, and what it allocated and let go of.
 *
 *   undo     nodes back, newest record first; what was allocated is free
 *   release  what was let go of is free: the block is committed
 */
import type { BucketMemory } from './bucket-memory.ts';
import { createIntList, type IntList, push } from './int-list.ts';
import type { NodeMemory } from './node-memory.ts';
import { PAIR_WORDS } from './pair-buffer.ts';

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
  let refs = new Int32Array(2 * FIRST_NODES);
  let pairs = new Uint32Array(PAIR_WORDS * FIRST_NODES);
  const [newNodes, oldNodes] = [createIntList(), createIntList()];
  const [newBuckets, oldBuckets] = [createIntList(), createIntList()];
  const places = new Map<number, number>();
  let placed = 0;

  function grow(): void {
    const [grownRefs, grownPairs] = [new Int32Array(2 * refs.length), new Uint32Array(2 * pairs.length)];
    grownRefs.set(refs);
    grownPairs.set(pairs);
    [refs, pairs] = [grownRefs, grownPairs];
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
      if (2 * record === refs.length) grow();
      push(saved, node);
      refs[2 * record] = nodes.refOf(2 * node);
      refs[2 * record + 1] = nodes.refOf(2 * node + 1);
      nodes.readPair(node, pairs, record * PAIR_WORDS);
    },
    undo() {
      for (let record = saved.length - 1; record >= 0; record--) {
        const node = saved.values[record] as number;
        nodes.setRef(2 * node, refs[2 * record] as number);
        nodes.setRef(2 * node + 1, refs[2 * record + 1] as number);
        nodes.writePair(node, pairs, record * PAIR_WORDS);
      }
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
    refAt: (record, side) => refs[2 * record + side] as number,
    readHash(record, side, to, at) {
      const from = record * PAIR_WORDS + side * (PAIR_WORDS / 2);
      for (let j = 0; j < PAIR_WORDS / 2; j++) to[at + j] = pairs[from + j] as number;
    },
    get bytes() {
      return 4 * (refs.length + pairs.length);
    },
  };
}
