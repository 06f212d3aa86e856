/**
 * Application: executes and stores what consensus orders. The node implements it with dissemination and the pipeline.
 *
 * Its promises never reject because of a peer's data. Blocks are named by id, because rivals share heights.
 */
import type {
  Block,
  BlockId,
  BlockReason,
  ChunkReference,
  Finalization,
  StateCertificate,
  StateDigest,
  View,
} from '@slipstream/types';

export interface PayloadRequest {
  readonly view: View;
  readonly parentId: BlockId;
  readonly parent: Block;
  /** Timestamp of the new block. */
  readonly timestampMs: number;
}

export type PayloadVerdict =
  /** Every chunk is here, unexpired, referenced by no ancestor, and in the log (I6); the next log sync makes it durable. */
  | { readonly type: 'valid' }
  /** Decided by the block and its ancestors alone; the signer is blocked for `offence`. */
  | { readonly type: 'invalid'; readonly reason: string; readonly offence: BlockReason };

export interface Application {
  /** Chunk references for a child of `parent`; may be empty. */
  buildPayload(request: PayloadRequest): Promise<readonly ChunkReference[]>;
  /** Fetches missing chunks. Aborted when the block no longer matters; it may then reject. */
  checkPayload(blockId: BlockId, block: Block, signal: AbortSignal): Promise<PayloadVerdict>;
  /** Executes optimistically on the parent's state. Never settles when the block is dropped. */
  execute(blockId: BlockId, block: Block): Promise<StateDigest>;
  /** A quorum voted for the block: it is the rival to commit ahead. */
  notarized?(blockId: BlockId): void;
  /** Final blocks, in order of height, once per process; `certificate` finalizes the block or a descendant. */
  finalized(blockId: BlockId, block: Block, certificate: Finalization | StateCertificate): void;
  /** A verified state certificate of any height; its block may not be executed here yet. */
  certified(certificate: StateCertificate): void;
  /** Whether there is something to include. Block interval and timers depend on it. */
  hasPending(): boolean;
}
