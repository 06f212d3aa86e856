/** A block in the pipeline: finished stages, their results and times. */
import type { BlockChunk, ExecutedBlock, WriteColumns } from '@slipstream/execution';
import type { Clock } from '@slipstream/ports';
import {
  asId,
  type Block,
  type BlockId,
  type DigestPreimage,
  type EpochEnd,
  type Finalization,
  type Hex,
  hexOf,
  type StateCertificate,
  type StateDigest,
} from '@slipstream/types';
import { createStageClock, type StageClock } from './stage-times.ts';
import type { Stage } from './stages.ts';

/** Retained until the block is committed. Small, because it lives long enough for V8 to move it. */
interface Executed extends Omit<ExecutedBlock, 'batch' | 'batches'> {
  /** In the ledger's encoding. */
  readonly batches: readonly Uint8Array[];
}

export interface BlockEntry {
  readonly id: Hex<BlockId>;
  readonly blockId: BlockId;
  readonly block: Block;
  readonly parent: Hex<BlockId>;
  readonly done: Set<Stage>;
  readonly started: Set<Stage>;
  readonly clock: StageClock;
  readonly waiter: PromiseWithResolvers<StateDigest>;
  /** Grows at each reset; results of earlier runs are ignored. */
  run: number;
  abort: AbortController;
  /** The stages were undone for a rival, and start again when the block is needed. */
  parked: boolean;
  /** At the start the ledger held the block and the state store did not. */
  readonly recorded: boolean;
  /** Why the block and its descendants can never be executed. */
  failure: unknown;
  notarized: boolean;
  chunks: readonly BlockChunk[] | undefined;
  executed: Executed | undefined;
  /** State changes, until the store has prepared them. */
  batch: WriteColumns | undefined;
  /** By receipt, in the ledger's encoding. */
  accounts: Uint8Array | undefined;
  /** Survives parking: another execution must give the same. */
  preimage: DigestPreimage | undefined;
  digest: StateDigest | undefined;
  /** Of exactly this block. */
  certificate: StateCertificate | undefined;
  finalization: Finalization | undefined;
  /** Of the epoch that this block closes. */
  end: EpochEnd | undefined;
  /** The certificate, of this block or a descendant, that matches the local digest. */
  certifiedBy: StateCertificate | undefined;
}

export function createEntry(blockId: BlockId, block: Block, clock: Clock, recorded = false): BlockEntry {
  return {
    id: hexOf(blockId),
    blockId,
    block,
    parent: hexOf(asId<BlockId>(block.parentId)),
    done: new Set(),
    started: new Set(),
    clock: createStageClock(clock),
    waiter: Promise.withResolvers<StateDigest>(),
    run: 0,
    abort: new AbortController(),
    parked: false,
    recorded,
    failure: undefined,
    notarized: false,
    chunks: undefined,
    executed: undefined,
    batch: undefined,
    accounts: undefined,
    preimage: undefined,
    digest: undefined,
    certificate: undefined,
    finalization: undefined,
    end: undefined,
    certifiedBy: undefined,
  };
}

/** Undoes all stages but `order`, and frees the results. */
export function resetEntry(entry: BlockEntry): void {
  const ordered = entry.done.has('order');
  entry.run += 1;
  entry.abort.abort();
  entry.abort = new AbortController();
  entry.done.clear();
  entry.started.clear();
  if (ordered) entry.done.add('order');
  entry.chunks = undefined;
  entry.executed = undefined;
  entry.batch = undefined;
  entry.accounts = undefined;
  entry.certifiedBy = undefined;
}
