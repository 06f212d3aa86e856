import type { BlockChunk, ExecuteBlock, ExecutedBlock, Skipped } from '@slipstream/execution';
import type { Ledger } from '@slipstream/ledger';
import type { Clock, Telemetry } from '@slipstream/ports';
import type { StateStore } from '@slipstream/state';
import type {
  Block,
  BlockId,
  DigestPreimage,
  Finalization,
  Genesis,
  GenesisHash,
  Receipt,
  StateCertificate,
  StateDigest,
} from '@slipstream/types';
import type { HiddenWork, StageTimes } from './stage-times.ts';
import type { PipelineMode, Stage } from './stages.ts';

export interface PipelineComponents {
  /** Opened with the hex id of genesisBlock as `genesisBlock` and the genesis state as its batch. */
  readonly state: StateStore;
  readonly ledger: Ledger;
  /**
   * The block's chunks in the order of its payload, signatures checked. Waits until all are here. The pipeline retries after a rejection
   * until the signal aborts, and requests them again for a block that was parked.
   */
  readonly chunksOf: (blockId: BlockId, block: Block, signal: AbortSignal) => Promise<readonly BlockChunk[]>;
  /**
   * Resolves when the chunks of a final block, as returned by `chunksOf`, are durable where committed chunks are served from. Repeated
   * after a crash.
   */
  readonly keepChunks: (block: Block, chunks: readonly BlockChunk[]) => Promise<void>;
  /** Replaced in tests and calibrated benches; default: that of packages/execution. One call at a time. */
  readonly executeBlock?: (block: ExecuteBlock) => ExecutedBlock | Promise<ExecutedBlock>;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

export interface PipelineOptions {
  readonly genesis: Genesis;
  readonly genesisHash: GenesisHash;
  readonly mode: PipelineMode;
  /** Eight secret random bytes of this node, so that no sender can aim at a bucket of the replay window. No result depends on them. */
  readonly hashKey: Uint8Array;
}

export interface OrderedBlock {
  readonly blockId: BlockId;
  readonly block: Block;
}

export interface CommittedBlock {
  readonly blockId: BlockId;
  readonly block: Block;
  readonly receipts: readonly Receipt[];
  readonly skipped: readonly Skipped[];
  readonly preimage: DigestPreimage;
  readonly stateDigest: StateDigest;
  /** Of this block or of a descendant. Undefined only where no retained certificate is near enough. */
  readonly certificate: StateCertificate | undefined;
  readonly finalization: Finalization | undefined;
  readonly stats: ExecutedBlock['stats'];
  readonly times: StageTimes;
  readonly hidden: HiddenWork;
  readonly executeMs: number;
}

/** Why the pipeline stopped for good. The node reports it and stops; the pipeline writes nothing to disk after it. */
export type Halt =
  | {
      /** A quorum certified another digest than this node computed (P4). */
      readonly type: 'diverged';
      readonly blockId: BlockId;
      readonly block: Block | undefined;
      readonly own: StateDigest;
      readonly certified: StateCertificate;
    }
  | {
      /** A stage of a final block, or a write, failed permanently. */
      readonly type: 'failed';
      readonly blockId: BlockId;
      readonly block: Block;
      readonly stage: Stage | 'revert';
      readonly error: unknown;
    };

export interface PipelineStatus {
  readonly executedHeight: number;
  readonly orderedHeight: number;
  readonly certifiedHeight: number;
  readonly committedHeight: number;
  /** Blocks above the committed one, rivals included, and how many of them are parked. */
  readonly blocks: number;
  readonly parked: number;
  /** Stages in the queues. */
  readonly executorWaiting: number;
  readonly diskWaiting: number;
  readonly replayIds: number;
  readonly state: 'running' | 'stopped' | 'diverged' | 'failed';
}

export interface Reconciled {
  readonly ledgerHeight: number;
  readonly stateHeight: number;
  /** A new chain: the store is at genesis and the ledger was empty. */
  readonly created: boolean;
}
