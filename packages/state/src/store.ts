/**
 * The state store: takes batches, returns one checksum per batch, and reads from memory.
 *
 *   prepare --> append --> commit          its batch is an overlay, then pending on disk, then part of the state
 *      \           \--> revert             a rival was ordered: the pending batch is removed again
 *       \--> drop                          never appended
 *
 * Any number of rivals may be prepared. One lineage at a time is appended. Blocks are opaque strings (their id in hex).
 */

import type { Batch, PackedBatch } from './batch.ts';

export const KEY_BYTES_MAX = 63;
export const VALUE_BYTES_MAX = 65_536;
/** Length of no value. */
export const ABSENT = -1;

export interface StateTip {
  /** Number of the last committed batch. Genesis takes the first batches, then each block one. */
  readonly batch: number;
  readonly checksum: Uint8Array;
  readonly block: string;
}

export interface StateView {
  /** A copy, or undefined. Throws StateError `stale-view` once the view's block is gone. */
  get(key: Uint8Array): Uint8Array | undefined;
  /**
   * As `get`, without an array for each value: copies what fits, and returns the value's length, or ABSENT. The key's array may be used
   * again.
   */
  copy(key: Uint8Array, into: Uint8Array): number;
}

export interface StateEntry {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

export interface StateStats {
  readonly keys: number;
  /** Bytes of live records, and all other bytes of the logs. */
  readonly liveBytes: number;
  readonly deadBytes: number;
  readonly files: number;
  /** Since the store was opened. */
  readonly compactions: number;
  /** Memory of the index, values included. */
  readonly indexBytes: number;
  /** Blocks not yet committed or dropped, and how many of them are appended. */
  readonly prepared: number;
  readonly pending: number;
}

export interface VerifyReport {
  readonly files: number;
  readonly bytes: number;
  readonly faults: readonly { readonly file: string; readonly offset: number; readonly what: string }[];
}

export interface StateStore {
  readonly tip: StateTip;
  /** Reads committed state. Returns a copy. */
  get(key: Uint8Array): Uint8Array | undefined;
  /** The state after `block`: through the overlays of its ancestors down to the committed state. */
  view(block: string): StateView;
  /**
   * Decides the batch's bytes on disk and its checksum, on top of `parent` (prepared, or the tip). Writes nothing. Throws StateError
   * `unknown-block` (parent), `already-prepared`, `bad-batch`.
   */
  prepare(
    parent: string,
    block: string,
    batch: Batch | PackedBatch,
  ): { readonly checksum: Uint8Array; readonly bytes: number };
  /** Writes and syncs a prepared batch, not yet visible. The parent must be the last appended block, or the tip. */
  append(block: string): Promise<void>;
  /** Makes the oldest pending block durable and visible, and drops all blocks that do not descend from it. */
  commit(block: string): Promise<void>;
  /** Removes a pending block and its descendants from the disk, last first. */
  revert(block: string): Promise<void>;
  /** Drops a prepared block and its descendants, none appended. Ignores an unknown block. */
  drop(block: string): void;
  /** Appended and not committed, oldest first. */
  pending(): readonly string[];
  /** Resolves once the newest committed batch is folded, without blocking the thread. */
  stats(): Promise<StateStats>;
  /** Committed entries with key >= from, in key order. Visits every key. */
  entries(from: Uint8Array | undefined, limit: number): readonly StateEntry[];
  /**
   * All committed entries, as batches of Puts in no order. A batch is valid until the next one. Throws StateError `stale-view` when a batch is
   * committed meanwhile.
   */
  packedEntries(): Iterable<PackedBatch>;
  /**
   * Input of a block's checksum: the 32 bytes before its segment, and the segment. For prepared blocks and the newest `history` committed
   * ones. See readSegment.
   */
  segment(block: string): Promise<Uint8Array | undefined>;
  /** Reads and checks every file. `onProgress` receives the number of checked files and the total. */
  verify(onProgress?: (done: number, total: number) => void): Promise<VerifyReport>;
  /** Idempotent. The next opening cuts off what is pending. */
  close(): Promise<void>;
}

/** Bytes without a commit, which the opening cut off. */
export interface Cut {
  readonly file: string;
  readonly offset: number;
  readonly bytes: number;
  /** `preallocated`: zeros for a batch that never came. */
  readonly reason: 'uncommitted' | 'replaced' | 'torn' | 'unfinished-genesis' | 'preallocated';
}

export interface Recovered {
  readonly batch: number;
  readonly block: string;
  /** The store was created from the genesis state. */
  readonly created: boolean;
  readonly cut: readonly Cut[];
}
