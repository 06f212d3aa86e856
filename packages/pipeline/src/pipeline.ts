/**
 * The pipeline: every block passes the same stages, each as soon as its conditions are met (stages.ts).
 *
 * It executes ahead of consensus, which reports new blocks (`execute`), final blocks (`finalized`), certified digests (`certified`) and ends
 * of epochs (`moved`), and commits when all agree:
 *
 *   P1  nothing is visible before commit: readers see the committed state and the ledger's heights, never an overlay
 *   P2  committed state is the execution of the final chain: only a final block on top of the tip commits
 *   P3  a rival leaves no trace (fork-handling.ts); uncommitted data is keyed by block id, never by height
 *   P4  a certificate that differs from the local digest halts the pipeline, and nothing on disk changes after it
 *   P6  ledger and chunks first, then the store, all synced; the start repairs what a crash left between (reconcile.ts)
 *   P11 the last block of an epoch commits together with what ended the epoch (epoch-seals.ts)
 *
 * Consensus bounds the blocks above the tip by its window of views, fork-handling.ts those with results. After a halt or a stop, promises
 * of `execute` stay pending.
 */
import { type EpochSeal, readSeal } from '@slipstream/execution';
import type {
  Block,
  BlockId,
  DigestPreimage,
  EpochEnd,
  Finalization,
  StateCertificate,
  StateDigest,
} from '@slipstream/types';
import { hexOf } from '@slipstream/types';
import { type BlockEntry, createEntry } from './block-entry.ts';
import { type BlockGraph, createBlockGraph } from './block-graph.ts';
import { type Certification, createCertification } from './certification.ts';
import { type CommittedBlocks, createCommittedBlocks } from './committed-blocks.ts';
import type {
  CommittedBlock,
  DirectoryGrown,
  Halt,
  OrderedBlock,
  PipelineComponents,
  PipelineOptions,
  PipelineStatus,
  Reconciled,
} from './components.ts';
import { createDirectoryGrowth, type DirectoryGrowth } from './directory-growth.ts';
import { createEpochSeals, type EpochSeals } from './epoch-seals.ts';
import { createForkHandling, type ForkHandling } from './fork-handling.ts';
import { createIntake, type Intake } from './intake.ts';
import { createLane } from './lane.ts';
import { type Progress, progressAt } from './progress.ts';
import { RECORDED_AHEAD_BLOCKS, reconcile, type Start } from './reconcile.ts';
import { createReplayWindow, type ReplayWindow } from './replay-window.ts';
import { committedBlock, failureOf, reportCommitted, reportExecuted, reportHalt, reportReconciled } from './reports.ts';
import { createScheduler, type Scheduler } from './scheduler.ts';
import { createStageWork } from './stage-work.ts';
import { STAGE_TABLES, type Stage } from './stages.ts';
import { createStateProofs, type ProveState } from './state-proofs.ts';
import { createSubscriptions, type Subscriptions } from './subscriptions.ts';

export interface Pipeline {
  readonly reconciled: Reconciled;
  /** Begins with blocks that a crash left uncommitted. Set handlers before. */
  start(): void;
  /** Never resolves for a dropped block, or while an ancestor is missing. */
  execute(blockId: BlockId, block: Block): Promise<StateDigest>;
  /** Call in order of height; known heights are ignored. Throws PipelineError `order-gap`. */
  finalized(blockId: BlockId, block: Block, certificate: Finalization | StateCertificate): void;
  /** Takes a verified certificate of any height, whose block may be missing. */
  certified(certificate: StateCertificate): void;
  /**
   * The epoch has ended with this block, which commits only now (P11). Call after `finalized` of it; repeated after a restart. Throws
   * PipelineError `order-gap`.
   */
  moved(end: EpochEnd): void;
  /** Optional: helps to choose early between rivals. */
  notarized(blockId: BlockId): void;
  onOrdered(handler: (ordered: OrderedBlock) => void): void;
  /** In order of height, once per process, when durable and visible. */
  onCommitted(handler: (committed: CommittedBlock) => void): void;
  /** Once an epoch and process (P12): `record` is the next epoch's, `height` the sealing block's. Before the boundary commits. */
  onSealed(handler: (seal: EpochSeal) => void): void;
  /** Each height above the committed state at the start, once final and executed. */
  onDirectoryGrown(handler: (grown: DirectoryGrown) => void): void;
  onHalted(handler: (halt: Halt) => void): void;
  status(): PipelineStatus;
  /** Of a block above the committed one. */
  digestOf(blockId: BlockId): StateDigest | undefined;
  preimageOf(blockId: BlockId): DigestPreimage | undefined;
  parentOf(blockId: BlockId): BlockId | undefined;
  /** Between two commits (R12). */
  readonly prove: ProveState;
  /** Finishes running stages, reports committed blocks, starts no more. The next start cuts off appended, uncommitted blocks. */
  stop(): Promise<void>;
}

/** Reconciles ledger and store. Throws PipelineError `irreconcilable`. */
export async function createPipeline(components: PipelineComponents, options: PipelineOptions): Promise<Pipeline> {
  const { state, tree, ledger } = components;
  const window = createReplayWindow(options.hashKey);
  const start = await reconcile({ state, tree, ledger, window }, options);
  reportReconciled(components.telemetry, start.reconciled);
  return new RunningPipeline(components, options, window, start);
}

class RunningPipeline implements Pipeline {
  readonly #components: PipelineComponents;
  readonly #window: ReplayWindow;
  readonly #found: Start;
  readonly #progress: Progress;
  readonly #graph: BlockGraph = createBlockGraph();
  readonly #lanes = { executor: createLane(), disk: createLane(), journal: createLane(), subscribers: createLane() };
  readonly #subscriptions: Subscriptions;
  readonly #scheduler: Scheduler;
  readonly #forks: ForkHandling;
  readonly #certification: Certification;
  readonly #committedBlocks: CommittedBlocks;
  readonly #seals: EpochSeals;
  readonly #growth: DirectoryGrowth;
  readonly #intake: Intake;
  readonly prove: ProveState;

  constructor(components: PipelineComponents, options: PipelineOptions, window: ReplayWindow, found: Start) {
    const { telemetry } = components;
    this.#components = components;
    this.#window = window;
    this.#found = found;
    this.#progress = progressAt(found);
    this.#subscriptions = createSubscriptions(telemetry);
    this.#scheduler = this.#createScheduler(options);
    this.#forks = this.#createForkHandling();
    this.#certification = this.#createCertification();
    this.#committedBlocks = this.#createCommittedBlocks(options);
    this.#seals = this.#createSeals();
    this.#growth = createDirectoryGrowth(telemetry, found.tip.height);
    this.#intake = this.#createIntake();
    const { state, tree } = components;
    this.prove = createStateProofs({ state, tree, journal: this.#lanes.journal, progress: this.#progress });
  }

  get reconciled(): Reconciled {
    return this.#found.reconciled;
  }

  start(): void {
    for (const block of this.#found.recorded) this.#intake.recorded(block);
    // A handler of the seal may answer at once with certificates of those blocks.
    this.#seals.start();
  }

  execute(blockId: BlockId, block: Block): Promise<StateDigest> {
    return this.#intake.execute(blockId, block);
  }

  finalized(blockId: BlockId, block: Block, certificate: Finalization | StateCertificate): void {
    this.#intake.finalized(blockId, block, certificate);
  }

  certified(certificate: StateCertificate): void {
    this.#intake.certified(certificate);
  }

  moved(end: EpochEnd): void {
    if (this.#isRunning()) this.#seals.moved(end);
  }

  notarized(blockId: BlockId): void {
    this.#intake.notarized(blockId);
  }

  onOrdered(handler: (ordered: OrderedBlock) => void): void {
    this.#subscriptions.ordered.add(handler);
  }

  onCommitted(handler: (committed: CommittedBlock) => void): void {
    this.#subscriptions.committed.add(handler);
  }

  onSealed(handler: (seal: EpochSeal) => void): void {
    this.#subscriptions.sealed.add(handler);
  }

  onDirectoryGrown(handler: (grown: DirectoryGrown) => void): void {
    this.#growth.add(handler);
  }

  onHalted(handler: (halt: Halt) => void): void {
    this.#subscriptions.halted.add(handler);
  }

  status(): PipelineStatus {
    const { executedHeight, ordered, certifiedHeight, tip, state } = this.#progress;
    const { executor, disk, journal } = this.#lanes;
    return {
      executedHeight,
      orderedHeight: ordered.height,
      certifiedHeight,
      committedHeight: tip.height,
      blocks: this.#graph.size,
      parked: [...this.#graph.all()].filter(({ parked }) => parked).length,
      executorWaiting: executor.waiting,
      diskWaiting: disk.waiting + journal.waiting,
      replayIds: this.#window.size,
      state,
    };
  }

  digestOf(blockId: BlockId): StateDigest | undefined {
    return this.#graph.get(hexOf(blockId))?.digest;
  }

  preimageOf(blockId: BlockId): DigestPreimage | undefined {
    return this.#graph.get(hexOf(blockId))?.preimage;
  }

  parentOf(blockId: BlockId): BlockId | undefined {
    return this.#graph.get(hexOf(blockId))?.block.parentId as BlockId | undefined;
  }

  async stop(): Promise<void> {
    if (this.#isRunning()) this.#progress.state = 'stopped';
    for (const entry of this.#graph.all()) entry.abort.abort();
    const { executor, disk, journal, subscribers } = this.#lanes;
    // Subscribers after the journal, so that a last commit is still reported.
    for (const lane of [executor, disk, journal, subscribers]) await lane.idle();
    await this.#committedBlocks.idle();
  }

  #createScheduler(options: PipelineOptions): Scheduler {
    const work = createStageWork(
      {
        ...this.#components,
        graph: this.#graph,
        window: this.#window,
        tipDigest: () => this.#progress.tip.digest,
        publish: (entry) => this.#publish(entry),
        announce: (entry) => this.#announce(entry),
      },
      options,
    );
    return createScheduler({
      table: STAGE_TABLES[options.mode],
      graph: this.#graph,
      lanes: this.#lanes,
      work,
      mayRun: (stage) => this.#mayRun(stage),
      onTip: (entry) => entry.parent === this.#progress.tip.id,
      mayStart: (entry, stage) => this.#mayStart(entry, stage),
      onStarted: (entry, stage) => {
        if (stage === 'optCommit') this.#forks.appending(entry);
      },
      onDone: (entry, stage) => this.#onDone(entry, stage),
      onFailed: (entry, stage, error) => this.#onFailed(entry, stage, error),
    });
  }

  #createForkHandling(): ForkHandling {
    const { state, tree, ledger, telemetry } = this.#components;
    return createForkHandling({
      graph: this.#graph,
      window: this.#window,
      disk: this.#lanes.disk,
      state,
      tree,
      ledger,
      running: () => this.#isRunning(),
      advance: this.#scheduler.advance,
      onReverted: () => telemetry.count('pipeline_reverted_blocks'),
      onFailed: (entry, error) => this.#halt({ ...failureOf(entry, 'commit', error), stage: 'revert' }),
    });
  }

  #createCertification(): Certification {
    return createCertification({
      graph: this.#graph,
      complete: this.#scheduler.complete,
      onDiverged: ({ blockId, block, digest }, certified) =>
        this.#halt({ type: 'diverged', blockId, block, own: digest as StateDigest, certified }),
    });
  }

  #createCommittedBlocks({ genesisHash }: PipelineOptions): CommittedBlocks {
    const { ledger, telemetry } = this.#components;
    return createCommittedBlocks({
      ledger,
      telemetry,
      genesisHash,
      running: () => this.#isRunning(),
      onDiverged: (halt) => this.#halt(halt),
    });
  }

  #createSeals(): EpochSeals {
    const { state } = this.#components;
    return createEpochSeals(
      {
        progress: this.#progress,
        graph: this.#graph,
        advance: this.#scheduler.advance,
        onSealed: (seal) => this.#subscriptions.sealed.send(seal),
      },
      readSeal({ get: ({ bytes }) => state.get(bytes) }),
    );
  }

  #createIntake(): Intake {
    const { clock } = this.#components;
    return createIntake({
      progress: this.#progress,
      graph: this.#graph,
      scheduler: this.#scheduler,
      forks: this.#forks,
      certification: this.#certification,
      committed: this.#committedBlocks,
      newEntry: (blockId, block, recorded) => createEntry(blockId, block, clock, recorded),
      onOrdered: (ordered) => this.#subscriptions.ordered.send(ordered),
      onImpossible: (entry) => this.#halt(failureOf(entry, 'execute', entry.failure)),
    });
  }

  #isRunning(): boolean {
    return this.#progress.state === 'running';
  }

  /** After a stop, commits are still reported; after a halt nothing runs. */
  #mayRun(stage: Stage): boolean {
    return this.#isRunning() || (stage === 'notify' && this.#progress.state === 'stopped');
  }

  #mayStart(entry: BlockEntry, stage: Stage): boolean {
    if (stage === 'prepare') {
      return !entry.recorded || entry.block.height <= this.#progress.tip.height + RECORDED_AHEAD_BLOCKS;
    }
    if (stage === 'execute') return !this.#forks.isReleasing(entry.id);
    if (stage === 'commit') return entry.recorded || entry.block.next === undefined || entry.end !== undefined;
    return stage !== 'optCommit' || this.#forks.mayAppend(entry);
  }

  #onDone(entry: BlockEntry, stage: Stage): void {
    const progress = this.#progress;
    if (stage === 'order' || stage === 'digest') this.#growth.changed(entry);
    if (stage === 'execute') {
      reportExecuted(this.#components.telemetry, entry);
      this.#forks.limitSpeculation();
    } else if (stage === 'digest') {
      progress.executedHeight = Math.max(progress.executedHeight, entry.block.height);
      entry.waiter.resolve(entry.digest as StateDigest);
      this.#seals.changed(entry);
      this.#certification.digested(entry);
    } else if (stage === 'certify') {
      progress.certifiedHeight = Math.max(progress.certifiedHeight, entry.block.height);
      this.#seals.changed(entry);
    } else if (stage === 'notify') {
      this.#graph.remove(entry);
    }
  }

  /** A failing block that is not final halts nothing: its rivals continue. */
  #onFailed(entry: BlockEntry, stage: Stage, error: unknown): void {
    const { telemetry } = this.#components;
    const speculative = stage === 'execute' || stage === 'digest';
    if (!speculative || entry.done.has('order')) return this.#halt(failureOf(entry, stage, error));
    for (const failed of this.#graph.subtree(entry)) failed.failure = error;
    telemetry.count('pipeline_failed_blocks');
    telemetry.log('error', `pipeline: block ${entry.id} cannot be executed`, { error: String(error) });
  }

  #halt(reason: Halt): void {
    if (!this.#isRunning()) return;
    this.#progress.state = reason.type;
    for (const entry of this.#graph.all()) entry.abort.abort();
    reportHalt(this.#components.telemetry, reason);
    this.#subscriptions.halted.send(reason);
  }

  #publish(entry: BlockEntry): void {
    const { telemetry } = this.#components;
    const { height } = entry.block;
    this.#progress.tip = { id: entry.id, height, digest: entry.digest as StateDigest };
    this.#window.finish(entry.id);
    this.#forks.committed(entry);
    this.#certification.committed(entry);
    if (entry.recorded) this.#prepareNextRecorded(height);
    telemetry.gauge('pipeline_committed_height', height);
    telemetry.gauge('pipeline_commit_lag_blocks', this.#progress.ordered.height - height);
  }

  #prepareNextRecorded(committed: number): void {
    const { recorded } = this.#found;
    const lowest = recorded[0]?.block.height ?? 0;
    const due = recorded[committed + RECORDED_AHEAD_BLOCKS - lowest];
    const entry = due && this.#graph.get(due.id);
    if (entry) this.#scheduler.advance(entry);
  }

  #announce(entry: BlockEntry): void {
    const made = committedBlock(entry);
    reportCommitted(this.#components.telemetry, entry, made);
    this.#subscriptions.committed.send(made);
  }
}
