/** A block on its way: which stages are done, what they gave, and when. */
import type { Batch, BlockChunk, ExecutedBlock } from '@slipstream/execution';
import type { Clock } from '@slipstream/ports';
import {
  asId,
  type Block,
  type BlockId,
  type DigestPreimage,
  type Finalization,
  type Hex,
  hexOf,
  type StateCertificate,
  type StateDigest,
} from '@slipstream/types';
import { createStageClock, type StageClock } from './stage-times.ts';
import type { Stage } from './stages.ts';

/** What is kept until the block is committed: a second and more, in which all of it is moved by V8 once or twice. */
export type Executed = Omit<ExecutedBlock, 'batch'>;

export interface BlockEntry {
  readonly id: Hex<BlockId>;
  readonly blockId: BlockId;
  readonly block: Block;
  readonly parent: Hex<BlockId>;
  readonly done: Set<Stage>;
  readonly started: Set<Stage>;
  readonly clock: StageClock;
  readonly waiter: PromiseWithResolvers<StateDigest>;
  /** Raised whenever the block's stages are reset: what was under way before counts no more. */
  run: number;
  abort: AbortController;
  /** Its work was undone for a rival; it starts again when it is needed. */
  parked: boolean;
  /** Final blocks that the ledger holds already and the state store does not: found at the start. */
  readonly recorded: boolean;
  /** Why it can never be executed; so none of its descendants can. */
  failure: unknown;
  notarized: boolean;
  chunks: readonly BlockChunk[] | undefined;
  executed: Executed | undefined;
  /** Of the state, until it is prepared there. */
  batch: Batch | undefined;
  /** By receipt, as the ledger keeps them. */
  accounts: Uint8Array | undefined;
  /** Kept when the block is parked: executing again must give the same. */
  preimage: DigestPreimage | undefined;
  digest: StateDigest | undefined;
  /** Of exactly this block. */
  certificate: StateCertificate | undefined;
  finalization: Finalization | undefined;
  /** The certificate that agrees with the digest here: of this block or of a descendant. */
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
    certifiedBy: undefined,
  };
}

/** Undoes every stage but `order`, and frees what they gave. */
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
