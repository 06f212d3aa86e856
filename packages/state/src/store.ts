/**
 * The state store: batches in, one checksum a batch; reads from memory; logs that only ever grow until they are replaced.
 *
 * A block's life here:
 *
 *   prepare --> append --> commit          its batch is an overlay, then pending on disk, then part of the state
 *      \           \--> revert             a rival was ordered: what was pending is removed again
 *       \--> drop                          never appended
 *
 * Any number of rivals may be prepared; one lineage at a time is appended. Blocks are opaque strings (their id in hex).
 */

import type { PackedBatch } from './batch.ts';
import type { Batch } from './write.ts';

export const KEY_BYTES_MAX = 64;
export const VALUE_BYTES_MAX = 65_536;

export interface StateTip {
  /** Number of the last committed batch. The genesis state is the first batches, then one for each block. */
  readonly batch: number;
  readonly checksum: Uint8Array;
  readonly block: string;
}

export interface StateView {
  /** A copy, or undefined when there is no such key. Throws StateError `stale-view` once the view's block is gone. */
  get(key: Uint8Array): Uint8Array | undefined;
}

export interface StateEntry {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

export interface StateStats {
  readonly keys: number;
  /** Bytes of records that the state still needs, and all other bytes of the log files. */
  readonly liveBytes: number;
  readonly deadBytes: number;
  readonly files: number;
  /** Log files rewritten since the store was opened. */
  readonly compactions: number;
  /** Memory of the index, values included. */
  readonly indexBytes: number;
  /** Blocks prepared and not yet committed or dropped; how many of them are appended. */
  readonly prepared: number;
  readonly pending: number;
}

export interface VerifyReport {
  readonly files: number;
  readonly bytes: number;
  /** Empty when every byte agrees with its checksum. */
  readonly faults: readonly { readonly file: string; readonly offset: number; readonly what: string }[];
}

export interface StateStore {
  /** What was committed last. */
  readonly tip: StateTip;
  /** Committed state only. A copy. */
  get(key: Uint8Array): Uint8Array | undefined;
  /** The state after `block`: through the overlays of its prepared ancestors down to the committed state. */
  view(block: string): StateView;
  /**
   * What the batch will be on disk, and its checksum, on top of `parent` (prepared, or the tip). Writes nothing.
   * Throws StateError `unknown-block` (parent), `already-prepared`, `bad-batch`.
   */
  prepare(
    parent: string,
    block: string,
    batch: Batch | PackedBatch,
  ): { readonly checksum: Uint8Array; readonly bytes: number };
  /** Writes and syncs a prepared batch, not yet visible. Its parent must be the last appended block, or the tip. */
  append(block: string): Promise<void>;
  /** Makes the oldest pending block durable state, visible to `get`; forgets whatever does not descend from it. */
  commit(block: string): Promise<void>;
  /** Removes a pending block and its descendants from the disk, last first, and forgets their overlays. */
  revert(block: string): Promise<void>;
  /** Forgets a prepared block and its descendants; none of them may be appended. Nothing happens if it is unknown. */
  drop(block: string): void;
  /** Appended and not committed, oldest first. */
  pending(): readonly string[];
  /** Once the newest committed batch is in the index: the thread does not stop for it. */
  stats(): Promise<StateStats>;
  /** Committed entries with key >= from, in key order. For tools and reports: it visits every key. */
  entries(from: Uint8Array | undefined, limit: number): readonly StateEntry[];
  /**
   * What a block's checksum is over: the 32 bytes before its segment, and the segment. Of prepared blocks and of the newest
   * committed ones (as many as a file's turn takes); undefined for others. See readSegment.
   */
  segment(block: string): Promise<Uint8Array | undefined>;
  /** Reads every file and checks it against its checksums. `told` hears how many files are done, of how many. */
  verify(onProgress?: (done: number, total: number) => void): Promise<VerifyReport>;
  /** Idempotent. What is pending is cut off when the store is opened again. */
  close(): Promise<void>;
}

/** Bytes that were found and taken off when the store was opened, because no commit vouches for them. */
export interface Cut {
  readonly file: string;
  readonly offset: number;
  readonly bytes: number;
  /** `room`: zeros that were laid out for a batch that never came. */
  readonly reason: 'uncommitted' | 'replaced' | 'torn' | 'unfinished-genesis' | 'room';
}

export interface Recovered {
  readonly batch: number;
  readonly block: string;
  /** True when the store was made now, from the genesis batch. */
  readonly created: boolean;
  readonly cut: readonly Cut[];
}
