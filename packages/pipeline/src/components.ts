import type {
  Applications,
  BlockChunk,
  ExecuteBlock,
  ExecutedBlock,
  ParallelCalls,
  Registration,
  Skipped,
} from '@slipstream/execution';
import type { Ledger } from '@slipstream/ledger';
import type { Clock, Telemetry } from '@slipstream/ports';
import type { StateStore } from '@slipstream/state';
import type { StateTree } from '@slipstream/state-tree';
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
  /** Over the store's committed state (treeOfStore). */
  readonly tree: StateTree;
  readonly ledger: Ledger;
  /**
   * The chunks in the order of the payload, signatures checked; waits until all are here. The pipeline retries after a rejection until the signal
   * aborts, and calls again for a parked block.
   */
  readonly chunksOf: (blockId: BlockId, block: Block, signal: AbortSignal) => Promise<readonly BlockChunk[]>;
  /** Resolves when a final block's chunks, as `chunksOf` returned them, are durable where they are served from. Repeated after a crash. */
  readonly keepChunks: (block: Block, chunks: readonly BlockChunk[]) => Promise<void>;
  /** Of genesis. Default: none. */
  readonly applications?: Applications | undefined;
  /** Of those applications, too. Default: all calls run in the executor's thread. */
  readonly parallel?: ParallelCalls | undefined;
  /** One call at a time. Default: that of packages/execution. */
  readonly executeBlock?: (block: ExecuteBlock) => ExecutedBlock | Promise<ExecutedBlock>;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

export interface PipelineOptions {
  readonly genesis: Genesis;
  readonly genesisHash: GenesisHash;
  readonly mode: PipelineMode;
  /** Eight secret random bytes, so that no sender can aim at a bucket of the replay window or of a block's keys. They affect no result. */
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
  /** Records of the distilled batches that ran (packages/distilled). */
  readonly batches: readonly Uint8Array[];
  readonly preimage: DigestPreimage;
  readonly stateDigest: StateDigest;
  /** Of this block or a descendant; undefined when no retained one is near enough. */
  readonly certificate: StateCertificate | undefined;
  readonly finalization: Finalization | undefined;
  readonly stats: ExecutedBlock['stats'];
  /** Whether it wrote a validator or a proposal. */
  readonly governanceChanged: boolean;
  readonly times: StageTimes;
  readonly hidden: HiddenWork;
  /** Execution, checksum and roots. */
  readonly executeMs: number;
}

export interface DirectoryGrown {
  readonly height: number;
  /** Entries that its block added to the account directory. */
  readonly registered: readonly Registration[];
}

/** Why the pipeline stopped for good. It then writes nothing more to disk. */
export type Halt =
  | {
      /** A quorum certified another digest (P4). */
      readonly type: 'diverged';
      readonly blockId: BlockId;
      readonly block: Block | undefined;
      readonly own: StateDigest;
      readonly certified: StateCertificate;
    }
  | {
      /** A stage of a final block, or a write, failed. */
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
  /** Above the committed one, rivals included; and how many are parked. */
  readonly blocks: number;
  readonly parked: number;
  /** Queued stages. */
  readonly executorWaiting: number;
  readonly diskWaiting: number;
  readonly replayIds: number;
  readonly state: 'running' | 'stopped' | 'diverged' | 'failed';
}

export interface Reconciled {
  readonly ledgerHeight: number;
  readonly stateHeight: number;
  /** The ledger was empty and the store at genesis. */
  readonly created: boolean;
}
