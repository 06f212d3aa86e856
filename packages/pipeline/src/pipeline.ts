/**
 * The pipeline: every block passes the same stages, each as soon as its conditions are met (stages.ts).
 *
 * Consensus reports new blocks (`execute`), final blocks (`finalized`) and the digests that a quorum certified (`certified`). The
 * pipeline executes ahead of all three and commits when all agree:
 *
 *   P1  nothing is visible before commit: readers see the committed state and the ledger's heights, never an overlay
 *   P2  committed state is the execution of the final chain: only a final block on top of the tip commits
 *   P3  a rival leaves no trace (fork-handling.ts); uncommitted data is keyed by block id, never by height
 *   P4  a certificate that differs from the local digest halts the pipeline, and nothing on disk changes after it
 *   P6  ledger and chunks first, then the store, all synced; the start repairs what a crash left between (reconcile.ts)
 *
 * The pipeline holds the requested blocks above the committed tip: consensus bounds them by its window of views, fork-handling.ts
 * those with results. After a halt or a stop, promises of `execute` stay pending.
 */
import type { Block, BlockId, DigestPreimage, Finalization, StateCertificate, StateDigest } from '@slipstream/types';
import { hexOf } from '@slipstream/types';
import { type BlockEntry, createEntry } from './block-entry.ts';
import { createBlockGraph } from './block-graph.ts';
import { createBroadcast } from './broadcast.ts';
import { createCertification } from './certification.ts';
import { createCommittedBlocks } from './committed-blocks.ts';
import type {
  CommittedBlock,
  Halt,
  OrderedBlock,
  PipelineComponents,
  PipelineOptions,
  PipelineStatus,
  Reconciled,
} from './components.ts';
import { createForkHandling } from './fork-handling.ts';
import { createIntake } from './intake.ts';
import { createLane } from './lane.ts';
import { progressAt } from './progress.ts';
import { RECORDED_AHEAD_BLOCKS, reconcile } from './reconcile.ts';
import { createReplayWindow } from './replay-window.ts';
import { committedNews, reportCommitted, reportExecuted, reportHalt, reportReconciled } from './reports.ts';
import { createScheduler } from './scheduler.ts';
import { createStageWork } from './stage-work.ts';
import { STAGE_TABLES, type Stage } from './stages.ts';

export interface Pipeline {
  readonly reconciled: Reconciled;
  /** Begins with what a crash left uncommitted. Handlers must be set before. */
  start(): void;
  /** Resolves with the block's digest; never when the block is dropped, or while an ancestor is missing. */
  execute(blockId: BlockId, block: Block): Promise<StateDigest>;
  /** In order of height; heights already known to be final are ignored. Throws PipelineError `order-gap`. */
  finalized(blockId: BlockId, block: Block, certificate: Finalization | StateCertificate): void;
  /** A verified certificate of any height; its block may be missing. */
  certified(certificate: StateCertificate): void;
  /** Optional: helps to choose early which of two rivals to append. */
  notarized(blockId: BlockId): void;
  onOrdered(handler: (ordered: OrderedBlock) => void): void;
  /** In order of height, once per process, after the block is durable and visible. */
  onCommitted(handler: (committed: CommittedBlock) => void): void;
  onHalted(handler: (halt: Halt) => void): void;
  status(): PipelineStatus;
  /** Of a block above the committed one. */
  digestOf(blockId: BlockId): StateDigest | undefined;
  /** The preimage of that digest. */
  preimageOf(blockId: BlockId): DigestPreimage | undefined;
  parentOf(blockId: BlockId): BlockId | undefined;
  /** Finishes the running stages, reports committed blocks and starts no more. The next start cuts off appended, uncommitted blocks. */
  stop(): Promise<void>;
}

/** Reconciles ledger and store. Throws PipelineError `irreconcilable`. */
export async function createPipeline(components: PipelineComponents, options: PipelineOptions): Promise<Pipeline> {
  const { state, ledger, clock, telemetry } = components;
  const graph = createBlockGraph();
  const window = createReplayWindow(options.hashKey);
  const lanes = { executor: createLane(), disk: createLane(), journal: createLane(), subscribers: createLane() };
  const start = await reconcile({ state, ledger, window }, options);
  const progress = progressAt(start);
  const running = (): boolean => progress.state === 'running';
  /** After a stop, committed blocks are still reported; after a halt, nothing runs. */
  const mayRun = (stage: Stage): boolean => running() || (stage === 'notify' && progress.state === 'stopped');
  const news = {
    ordered: createBroadcast<OrderedBlock>(telemetry),
    committed: createBroadcast<CommittedBlock>(telemetry),
    halted: createBroadcast<Halt>(telemetry),
  };

  const tipDigest = (): StateDigest => progress.tip.digest;
  const scheduler = createScheduler({
    table: STAGE_TABLES[options.mode],
    graph,
    lanes,
    work: createStageWork({ ...components, graph, window, tipDigest, publish, announce }, options),
    mayRun,
    onTip: (entry) => entry.parent === progress.tip.id,
    mayStart: (entry, stage) => {
      if (stage === 'prepare')
        return !entry.recorded || entry.block.height <= progress.tip.height + RECORDED_AHEAD_BLOCKS;
      if (stage === 'execute') return !forks.isReleasing(entry.id);
      return stage !== 'optCommit' || forks.mayAppend(entry);
    },
    onStarted: (entry, stage) => {
      if (stage === 'optCommit') forks.appending(entry);
    },
    onDone,
    onFailed,
  });
  const forks = createForkHandling({
    ...{ graph, window, disk: lanes.disk, state, ledger, running },
    advance: scheduler.advance,
    onReverted: () => telemetry.count('pipeline_reverted_blocks'),
    onFailed: (entry, error) => halt({ ...failureOf(entry, 'commit', error), stage: 'revert' }),
  });
  const certification = createCertification({
    graph,
    complete: scheduler.complete,
    onDiverged: ({ blockId, block, digest }, certified) =>
      halt({ type: 'diverged', blockId, block, own: digest as StateDigest, certified }),
  });
  const { genesisHash } = options;
  const committed = createCommittedBlocks({ ledger, telemetry, genesisHash, running, onDiverged: halt });
  const intake = createIntake({
    ...{ progress, graph, scheduler, forks, certification, committed },
    newEntry: (blockId, block, recorded) => createEntry(blockId, block, clock, recorded),
    onOrdered: news.ordered.send,
    onImpossible: (entry) => halt(failureOf(entry, 'execute', entry.failure)),
  });

  function halt(reason: Halt): void {
    if (!running()) return;
    progress.state = reason.type;
    for (const entry of graph.all()) entry.abort.abort();
    reportHalt(telemetry, reason);
    news.halted.send(reason);
  }

  /** A block that is not final may fail without a halt: its rivals continue. */
  function onFailed(entry: BlockEntry, stage: Stage, error: unknown): void {
    const speculative = stage === 'execute' || stage === 'digest';
    if (!speculative || entry.done.has('order')) return halt(failureOf(entry, stage, error));
    for (const failed of graph.subtree(entry)) failed.failure = error;
    telemetry.count('pipeline_failed_blocks');
    telemetry.log('error', `pipeline: block ${entry.id} cannot be executed`, { error: String(error) });
  }

  function onDone(entry: BlockEntry, stage: Stage): void {
    if (stage === 'execute') {
      reportExecuted(telemetry, entry);
      forks.limitSpeculation();
    } else if (stage === 'digest') {
      progress.executedHeight = Math.max(progress.executedHeight, entry.block.height);
      entry.waiter.resolve(entry.digest as StateDigest);
      certification.digested(entry);
    } else if (stage === 'certify') {
      progress.certifiedHeight = Math.max(progress.certifiedHeight, entry.block.height);
    } else if (stage === 'notify') {
      graph.remove(entry);
    }
  }

  function publish(entry: BlockEntry): void {
    const { height } = entry.block;
    progress.tip = { id: entry.id, height, digest: entry.digest as StateDigest };
    window.finish(entry.id);
    forks.committed(entry);
    certification.committed(entry);
    if (entry.recorded) prepareNextRecorded(height);
    telemetry.gauge('pipeline_committed_height', height);
    telemetry.gauge('pipeline_commit_lag_blocks', progress.ordered.height - height);
  }

  function prepareNextRecorded(committed: number): void {
    const lowest = start.recorded[0]?.block.height ?? 0;
    const due = start.recorded[committed + RECORDED_AHEAD_BLOCKS - lowest];
    const entry = due && graph.get(due.id);
    if (entry) scheduler.advance(entry);
  }

  function announce(entry: BlockEntry): void {
    const made = committedNews(entry);
    reportCommitted(telemetry, entry, made);
    news.committed.send(made);
  }

  function status(): PipelineStatus {
    return {
      executedHeight: progress.executedHeight,
      orderedHeight: progress.ordered.height,
      certifiedHeight: progress.certifiedHeight,
      committedHeight: progress.tip.height,
      blocks: graph.size,
      parked: [...graph.all()].filter(({ parked }) => parked).length,
      executorWaiting: lanes.executor.waiting,
      diskWaiting: lanes.disk.waiting + lanes.journal.waiting,
      replayIds: window.size,
      state: progress.state,
    };
  }

  async function stop(): Promise<void> {
    if (running()) progress.state = 'stopped';
    for (const entry of graph.all()) entry.abort.abort();
    // Subscribers after the journal, so that a commit that ends now is still reported.
    for (const lane of [lanes.executor, lanes.disk, lanes.journal, lanes.subscribers]) await lane.idle();
    await committed.idle();
  }

  reportReconciled(telemetry, start.reconciled);
  return {
    reconciled: start.reconciled,
    start: () => start.recorded.forEach(intake.recorded),
    execute: intake.execute,
    finalized: intake.finalized,
    certified: intake.certified,
    notarized: intake.notarized,
    onOrdered: news.ordered.add,
    onCommitted: news.committed.add,
    onHalted: news.halted.add,
    status,
    digestOf: (blockId) => graph.get(hexOf(blockId))?.digest,
    preimageOf: (blockId) => graph.get(hexOf(blockId))?.preimage,
    parentOf: (blockId) => graph.get(hexOf(blockId))?.block.parentId as BlockId | undefined,
    stop,
  };
}

function failureOf(entry: BlockEntry, stage: Stage, error: unknown): Extract<Halt, { type: 'failed' }> {
  return { type: 'failed', blockId: entry.blockId, block: entry.block, stage, error };
}
