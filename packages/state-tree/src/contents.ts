/** The parts of one tree. */
import { type BucketMemory, createBucketMemory } from './bucket-memory.ts';
import type { ChangeColumns } from './changes.ts';
import { createNodeMemory, type NodeMemory, ROOT_SLOT } from './node-memory.ts';
import { createPairBuffer, HASH_WORDS } from './pair-buffer.ts';
import { createRowHasher } from './row-hashes.ts';
import { type RowMemory, type Rows, rowMemory, type SortedRows } from './rows.ts';
import { createUndoLog, type UndoLog } from './undo-log.ts';
import { createUpdater } from './update.ts';

/** Keys between two pauses: some 3 ms where cores are slow. */
export const SLICE_KEYS = 512;
/** Keys taken in together: their nodes and buckets fit into the processor's cache. */
const PIECE_KEYS = 128;
/** Of a rebuild, keys between two pauses. Neighbours are taken in together, so that few buckets are made twice. */
const RUN_KEYS = 2_048;

/** Of a busy chain: a block or two above the committed one, each of some 0.8 MiB. That of a far larger block is freed. */
const SPARE_LOGS_MAX = 4;
const SPARE_LOG_BYTES_MAX = 4 * 1_048_576;

export type Pause = () => Promise<void>;

export interface Contents {
  readonly nodes: NodeMemory;
  readonly buckets: BucketMemory;
  root(): Uint8Array;
  newLog(): UndoLog;
  /** Of a log that is undone or released: the next one has its memory. */
  reuse(log: UndoLog): void;
  /** Rows in the order of the changes. */
  hash(changes: ChangeColumns): Promise<Rows>;
  /** Sorted rows. Between two pauses the log is whole. */
  take(changes: SortedRows, log: UndoLog): Promise<void>;
  /** The same for all entries of a state, in long runs. `memory` has room for the rows. */
  hashNew(changes: ChangeColumns, memory: RowMemory): Promise<Rows>;
  takeNew(changes: SortedRows, log: UndoLog): Promise<void>;
}

export function createContents(secret: Uint8Array, pause: Pause, sliceKeys: number): Contents {
  const buffer = createPairBuffer();
  const nodes = createNodeMemory();
  const buckets = createBucketMemory();
  const hasher = createRowHasher(buffer, secret);
  const updater = createUpdater(buffer, nodes, buckets);
  const spareLogs: UndoLog[] = [];

  async function inSlices(count: number, keys: number, work: (from: number, to: number) => void): Promise<void> {
    for (let from = 0; from < count; from += keys) {
      if (from > 0) await pause();
      work(from, Math.min(count, from + keys));
    }
  }

  async function hash(changes: ChangeColumns, { rows, deletes }: RowMemory, keys: number): Promise<Rows> {
    const count = changes.keyBytes.length;
    let offset = 0;
    await inSlices(count, keys, (from, to) => {
      offset = hasher.write(changes, from, to, offset, rows, deletes);
    });
    return { count, rows, deletes };
  }

  return {
    nodes,
    buckets,
    root() {
      const words = new Uint32Array(HASH_WORDS);
      nodes.readHash(ROOT_SLOT, words, 0);
      return new Uint8Array(words.buffer);
    },
    newLog: () => spareLogs.pop() ?? createUndoLog({ nodes, buckets }),
    reuse(log) {
      if (spareLogs.length < SPARE_LOGS_MAX && log.bytes() <= SPARE_LOG_BYTES_MAX) spareLogs.push(log);
    },
    hash: (changes) => hash(changes, rowMemory(changes.keyBytes.length), sliceKeys),
    hashNew: (changes, memory) => hash(changes, memory, RUN_KEYS),
    take: (changes, log) =>
      inSlices(changes.count, sliceKeys, (from, to) => {
        for (let at = from; at < to; at += PIECE_KEYS) updater.take(changes, at, Math.min(to, at + PIECE_KEYS), log);
      }),
    takeNew: (changes, log) => inSlices(changes.count, RUN_KEYS, (from, to) => updater.take(changes, from, to, log)),
  };
}
