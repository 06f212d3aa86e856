/**
 * What a block changed: slots and entries as they were, and what it allocated and let go of.
 *
 *   undo     slots and entries back, newest record first; what was allocated is free
 *   release  what was let go of is free: the block is committed
 */
import type { BucketMemory } from './bucket-memory.ts';
import { BUCKET_KEYS_MAX } from './forms.ts';
import { createIntList, type IntList, push } from './int-list.ts';
import type { NodeMemory } from './node-memory.ts';
import { HASH_WORDS } from './pair-buffer.ts';

const FIRST_RECORDS = 256;

export interface UndoLog {
  readonly newNodes: IntList;
  readonly oldNodes: IntList;
  readonly newBuckets: IntList;
  readonly oldBuckets: IntList;
  /** Records slots before they change. */
  save(slots: IntList): void;
  /** Records the entry of a bucket's row before it changes. */
  saveEntry(bucket: number, row: number): void;
  undo(): void;
  release(): void;
  /** The first record of a slot: as it was before the block. */
  find(slot: number): number | undefined;
  refAt(record: number): number;
  readHash(record: number, to: Uint32Array): void;
  /** The entry of a bucket's row as it was before the block. Undefined: the block did not change it. */
  entryOf(bucket: number, row: number): Uint32Array | undefined;
  bytes(): number;
}

interface Memory {
  readonly nodes: NodeMemory;
  readonly buckets: BucketMemory;
}

export function createUndoLog({ nodes, buckets }: Memory): UndoLog {
  const [saved, refs] = [createIntList(), createIntList()];
  const [changedBuckets, changedRows] = [createIntList(), createIntList()];
  let [hashes, entries] = [new Uint32Array(HASH_WORDS * FIRST_RECORDS), new Uint32Array(HASH_WORDS * FIRST_RECORDS)];
  const [newNodes, oldNodes] = [createIntList(), createIntList()];
  const [newBuckets, oldBuckets] = [createIntList(), createIntList()];
  const slotRecords = createIndex((record) => saved.values[record] as number);
  const entryRecords = createIndex((record) =>
    entryName(changedBuckets.values[record] as number, changedRows.values[record] as number),
  );

  function clear(): void {
    for (const list of [saved, refs, changedBuckets, changedRows]) list.length = 0;
    for (const list of [newNodes, oldNodes, newBuckets, oldBuckets]) list.length = 0;
    slotRecords.clear();
    entryRecords.clear();
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
      hashes = withRoom(hashes, first + slots.length);
      for (let i = 0; i < slots.length; i++) {
        const slot = slots.values[i] as number;
        push(saved, slot);
        push(refs, nodes.refOf(slot));
      }
      nodes.readHashes(slots, hashes, HASH_WORDS * first);
    },
    saveEntry(bucket, row) {
      const record = changedRows.length;
      entries = withRoom(entries, record + 1);
      push(changedBuckets, bucket);
      push(changedRows, row);
      buckets.readEntry(bucket, row, entries, HASH_WORDS * record);
    },
    undo() {
      for (let record = changedRows.length - 1; record >= 0; record--) {
        const [bucket, row] = [changedBuckets.values[record] as number, changedRows.values[record] as number];
        buckets.writeEntry(bucket, row, entries, HASH_WORDS * record);
      }
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
    find: (slot) => slotRecords.first(slot, saved.length),
    refAt: (record) => refs.values[record] as number,
    readHash(record, to) {
      for (let j = 0; j < HASH_WORDS; j++) to[j] = hashes[HASH_WORDS * record + j] as number;
    },
    entryOf(bucket, row) {
      const record = entryRecords.first(entryName(bucket, row), changedRows.length);
      return record === undefined ? undefined : entries.slice(HASH_WORDS * record, HASH_WORDS * (record + 1));
    },
    bytes() {
      const lists = [saved, refs, changedBuckets, changedRows];
      return 4 * lists.reduce((sum, { values }) => sum + values.length, hashes.length + entries.length);
    },
  };
}

const entryName = (bucket: number, row: number) => BUCKET_KEYS_MAX * -bucket + row;

function withRoom(words: Uint32Array<ArrayBuffer>, records: number): Uint32Array<ArrayBuffer> {
  if (HASH_WORDS * records <= words.length) return words;
  const grown = new Uint32Array(2 * HASH_WORDS * records);
  grown.set(words);
  return grown;
}

/** The first record of each name; made when it is asked for, since few logs are. */
function createIndex(nameOf: (record: number) => number) {
  const records = new Map<number, number>();
  let indexed = 0;
  return {
    first(name: number, count: number): number | undefined {
      for (; indexed < count; indexed++) if (!records.has(nameOf(indexed))) records.set(nameOf(indexed), indexed);
      return records.get(name);
    },
    clear(): void {
      if (indexed > 0) records.clear();
      indexed = 0;
    },
  };
}
