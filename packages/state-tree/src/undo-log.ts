/**
 * What a block changed: slots as they were, and what it allocated and let go of.
 *
 *   undo     slots back, newest record first; what was allocated is free
 *   release  what was let go of is free: the block is committed
 */
import type { BucketMemory } from './bucket-memory.ts';
import { createIntList, type IntList, push } from './int-list.ts';
import type { NodeMemory } from './node-memory.ts';
import { HASH_WORDS } from './pair-buffer.ts';

const FIRST_SLOTS = 256;

export interface UndoLog {
  readonly newNodes: IntList;
  readonly oldNodes: IntList;
  readonly newBuckets: IntList;
  readonly oldBuckets: IntList;
  /** Records slots before they change. */
  save(slots: IntList): void;
  undo(): void;
  release(): void;
  /** The first record of a slot: as it was before the block. */
  find(slot: number): number | undefined;
  refAt(record: number): number;
  readHash(record: number, to: Uint32Array): void;
  bytes(): number;
}

interface Memory {
  readonly nodes: NodeMemory;
  readonly buckets: BucketMemory;
}

export function createUndoLog({ nodes, buckets }: Memory): UndoLog {
  const [saved, refs] = [createIntList(), createIntList()];
  let hashes = new Uint32Array(HASH_WORDS * FIRST_SLOTS);
  const [newNodes, oldNodes] = [createIntList(), createIntList()];
  const [newBuckets, oldBuckets] = [createIntList(), createIntList()];
  const places = new Map<number, number>();
  let placed = 0;

  function reserve(records: number): void {
    if (HASH_WORDS * records <= hashes.length) return;
    const grown = new Uint32Array(2 * HASH_WORDS * records);
    grown.set(hashes);
    hashes = grown;
  }

  function clear(): void {
    for (const list of [saved, refs, newNodes, oldNodes, newBuckets, oldBuckets]) list.length = 0;
    if (placed > 0) places.clear();
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
    save(slots) {
      const first = saved.length;
      reserve(first + slots.length);
      for (let i = 0; i < slots.length; i++) {
        const slot = slots.values[i] as number;
        push(saved, slot);
        push(refs, nodes.refOf(slot));
      }
      nodes.readHashes(slots, hashes, HASH_WORDS * first);
    },
    undo() {
      for (let record = saved.length - 1; record >= 0; record--) {
        const slot = saved.values[record] as number;
        nodes.setRef(slot, refs.values[record] as number);
        nodes.writeHash(slot, hashes, HASH_WORDS * record);
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
    find(slot) {
      for (; placed < saved.length; placed++) {
        const each = saved.values[placed] as number;
        if (!places.has(each)) places.set(each, placed);
      }
      return places.get(slot);
    },
    refAt: (record) => refs.values[record] as number,
    readHash(record, to) {
      for (let j = 0; j < HASH_WORDS; j++) to[j] = hashes[HASH_WORDS * record + j] as number;
    },
    bytes: () => 4 * (hashes.length + saved.values.length + refs.values.length),
  };
}
