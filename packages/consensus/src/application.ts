/**
 * Application: executes and stores what consensus orders.
 *
 * Its promises never reject because of a peer's data. Rivals share heights, so blocks are named by id.
 */
import type {
  Block,
  BlockId,
  BlockReason,
  ChunkReference,
  EpochEnd,
  Finalization,
  StateCertificate,
  StateDigest,
  View,
} from '@slipstream/types';

export interface PayloadRequest {
  readonly view: View;
  readonly parentId: BlockId;
  readonly parent: Block;
  /** Of the new block. */
  readonly timestampMs: number;
}

export type PayloadVerdict =
  /** Every chunk is here, unexpired, referenced by no ancestor, and in the log (I6), though maybe not synced yet. */
  | { readonly type: 'valid' }
  /** Follows from the block and its ancestors alone; the signer is blocked for `offence`. */
  | { readonly type: 'invalid'; readonly reason: string; readonly offence: BlockReason };

export interface Application {
  /** Chunk references for a child of `parent`; may be empty. */
  buildPayload(request: PayloadRequest): Promise<readonly ChunkReference[]>;
  /** Fetches missing chunks. May reject after `signal` aborts, which happens when the block no longer matters. */
  checkPayload(blockId: BlockId, block: Block, signal: AbortSignal): Promise<PayloadVerdict>;
  /** On the parent's state, before the block is final. Never settles for a dropped block. */
  execute(blockId: BlockId, block: Block): Promise<StateDigest>;
  /** A quorum voted for the block, so it may be committed ahead. */
  notarized?(blockId: BlockId): void;
  /** In order of height, once per process. `certificate` finalizes the block or a descendant. */
  finalized(blockId: BlockId, block: Block, certificate: Finalization | StateCertificate): void;
  /** Verified; any height. The block may not be executed here yet. */
  certified(certificate: StateCertificate): void;
  /**
   * The epoch has ended: this block is its last. With `fillers` the certificate proves it to a node of the closed epoch. If the seal was not
   * reported yet (Consensus.sealed), it is once execution has made the record that the block names.
   */
  moved?(end: EpochEnd): void;
  /** Block interval and timers depend on it. */
  hasPending(): boolean;
}
