/**
 * Application: what consensus orders, seen from consensus. Implemented in the node by dissemination and the pipeline.
 *
 * Consensus calls; the application answers with promises that never reject for what a peer sent. Blocks are named by id:
 * rivals share heights.
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
  /** The timestamp that the block will have. */
  readonly timestampMs: number;
}

export type PayloadVerdict =
  /** Every chunk is here, unexpired, referenced by no ancestor, and in the log (I6): the next log sync makes it durable. */
  | { readonly type: 'valid' }
  /** By what the block and its ancestors say, whatever this node knows beside: whoever signed it is blocked for `offence`. */
  | { readonly type: 'invalid'; readonly reason: string; readonly offence: BlockReason };

export interface Application {
  /** Chunk references for a child of `parent`; an empty list when there is nothing to include. */
  buildPayload(request: PayloadRequest): Promise<readonly ChunkReference[]>;
  /** Settles once the verdict is known; fetches missing chunks. Aborted when the block no longer matters (then it may reject). */
  checkPayload(blockId: BlockId, block: Block, signal: AbortSignal): Promise<PayloadVerdict>;
  /** Executes on the parent's state, optimistically; settles with the digest, or never settles when the block is dropped. */
  execute(blockId: BlockId, block: Block): Promise<StateDigest>;
  /** A quorum voted for it: of two rivals, it is the one worth committing ahead. */
  notarized?(blockId: BlockId): void;
  /** Final blocks, in order of height, each once a life; `certificate` finalizes it or a descendant. */
  finalized(blockId: BlockId, block: Block, certificate: Finalization | StateCertificate): void;
  /** A verified state certificate of a block at any height; possibly of one that is not executed here yet. */
  certified(certificate: StateCertificate): void;
  /** Whether there is something to include: pacing and timers depend on it. */
  hasPending(): boolean;
}
