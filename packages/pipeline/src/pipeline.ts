/**
 * The pipeline: every block through the same stages, each the moment what it waits for is there (stages.ts).
 *
 * Consensus says which blocks exist (`execute`), which are final (`finalized`) and which digests a quorum agrees on
 * (`certified`), in any order. The pipeline executes ahead of all three and commits when all agree:
 *
 *   P1  nothing is visible before commit: readers see the committed state and the ledger's heights, never an overlay
 *   P2  committed state is the execution of the final chain: only a final block on top of the tip commits
 *   P3  a rival leaves no trace (contention.ts); what is kept is keyed by block id, never by height
 *   P4  a certificate that differs from the local digest halts the pipeline, and nothing on disk is touched any more
 *   P6  ledger first, then the store, both synced; the start repairs what a crash left between (reconcile.ts)
 *
 * Blocks here are those above the committed tip that consensus has asked for; it bounds them by its window of views, and those
 * that hold results are bounded here. After a halt or a stop, promises of `execute` stay pending.
 */
import { bytesEqual, to0x } from '@slipstream/primitives';
import {
  asId,
  type Block,
  type BlockId,
  type Finalization,
  hexOf,
  type StateCertificate,
  type StateDigest,
  stateDigestOf,
} from '@slipstream/types';
import { type BlockEntry, createEntry } from './block-entry.ts';
import { createBlockGraph } from './block-graph.ts';
import { createBroadcast } from './broadcast.ts';
import type {
  CommittedBlock,
  Halt,
  OrderedBlock,
  PipelineComponents,
  PipelineOptions,
  PipelineStatus,
  Reconciled,
} from './components.ts';
import { createContention } from './contention.ts';
import { PipelineError } from './errors.ts';
import { createLane } from './lane.ts';
import { reconcile } from './reconcile.ts';
import { createReplayWindow } from './replay-window.ts';
import { createScheduler } from './scheduler.ts';
import { createStageWork } from './stage-work.ts';
import { STAGE_TABLES, type Stage } from './stages.ts';
import { createVouching } from './vouching.ts';

export interface Pipeline {
  readonly reconciled: Reconciled;
  /** Begins with what a crash left uncommitted. Handlers are set before it. */
  start(): void;
  /** Settles with the block's digest; never when the block is dropped, or while an ancestor is missing. */
  execute(blockId: BlockId, block: Block): Promise<StateDigest>;
  /** In order of height; heights that are known to be final are ignored. Throws PipelineError `order-gap`. */
  finalized(blockId: BlockId, block: Block, certificate: Finalization | StateCertificate): void;
  certified(certificate: StateCertificate): void;
  /** Optional: it decides earlier which of two rivals is worth appending. */
  notarized(blockId: BlockId): void;
  onOrdered(handler: (ordered: OrderedBlock) => void): void;
  /** In order of height, once each a life, after the block is durable and visible. */
  onCommitted(handler: (committed: CommittedBlock) => void): void;
  onHalted(handler: (halt: Halt) => void): void;
  status(): PipelineStatus;
  /** Of a block above the committed one. */
  digestOf(blockId: BlockId): StateDigest | undefined;
  /** Finishes the stages under way and starts no more. What is appended and not committed is cut off at the next start. */
  stop(): Promise<void>;
}

/** Reconciles ledger and store. Throws PipelineError `irreconcilable`. */
export async function createPipeline(components: PipelineComponents, options: PipelineOptions): Promise<Pipeline> {
  const { state, ledger, clock, telemetry } = components;
  const { genesisHash } = options;
  const graph = createBlockGraph();
  const window = createReplayWindow();
  const lanes = { executor: createLane(), disk: createLane(), subscribers: createLane() };
  const start = await reconcile({ state, ledger, window }, options);
  const heights = { executed: start.reconciled.ledgerHeight, certified: start.reconciled.ledgerHeight };
  const orderedHandlers = createBroadcast<OrderedBlock>(telemetry);
  const committedHandlers = createBroadcast<CommittedBlock>(telemetry);
  const haltedHandlers = createBroadcast<Halt>(telemetry);
  const background = new Set<Promise<void>>();
  const lastRecorded = start.recorded.at(-1);
  let tip = start.tip;
  let ordered = lastRecorded ? { id: hexOf(lastRecorded.blockId), height: lastRecorded.block.height } : tip;
  let mode: PipelineStatus['state'] = 'running';
  const running = (): boolean => mode === 'running';

  const work = createStageWork(
    { ...components, graph, window, tipDigest: () => tip.digest, publish, announce },
    options,
  );
  const scheduler = createScheduler({
    table: STAGE_TABLES[options.mode],
    graph,
    lanes,
    work,
    running,
    onTip: (entry) => entry.parent === tip.id,
    mayStart: (entry, stage) => {
      if (stage === 'execute') return !contention.isReleasing(entry.id);
      return stage !== 'optCommit' || contention.mayAppend(entry);
    },
    onStarted: (entry, stage) => {
      if (stage === 'optCommit') contention.appending(entry);
    },
    onDone,
    onFailed,
  });
  const contention = createContention({
    graph,
    window,
    disk: lanes.disk,
    state,
    ledger,
    running,
    advance: scheduler.advance,
    onReverted: ({ block }) => telemetry.count('pipeline_reverted_blocks', 1, { height: String(block.height) }),
    onFailed: (entry, error) => halt({ ...failureOf(entry, 'commit', error), stage: 'revert' }),
  });
  const vouching = createVouching({
    graph,
    complete: scheduler.complete,
    onDiverged: ({ blockId, block, digest }, certified) =>
      halt({ type: 'diverged', blockId, block, own: digest as StateDigest, certified }),
  });

  function halt(reason: Halt): void {
    if (!running()) return;
    mode = reason.type;
    for (const entry of graph.all()) entry.abort.abort();
    telemetry.log('error', `pipeline: halted (${reason.type}) at block ${to0x(reason.blockId)}`, {
      ...(reason.type === 'diverged'
        ? { own: to0x(reason.own), certified: to0x(reason.certified.subject.stateDigest) }
        : { stage: reason.stage, error: String(reason.error) }),
    });
    haltedHandlers.send(reason);
  }

  function onFailed(entry: BlockEntry, stage: Stage, error: unknown): void {
    const speculative = stage === 'execute' || stage === 'digest';
    if (!speculative || entry.done.has('order')) return halt(failureOf(entry, stage, error));
    for (const failed of graph.subtree(entry)) failed.failure = error;
    telemetry.count('pipeline_failed_blocks');
    telemetry.log('error', `pipeline: block ${to0x(entry.blockId)} cannot be executed`, { error: String(error) });
  }

  function onDone(entry: BlockEntry, stage: Stage): void {
    const { block, blockId, executed, clock: stageClock } = entry;
    if (stage === 'execute' && executed) {
      const named = { height: block.height, view: block.view, blockId: to0x(blockId) };
      const { transactions } = executed.stats;
      telemetry.event('block.executed', { ...named, transactions, tookMs: stageClock.tookMs('execute') });
      contention.limitSpeculation();
    } else if (stage === 'digest') {
      heights.executed = Math.max(heights.executed, block.height);
      entry.waiter.resolve(entry.digest as StateDigest);
      vouching.digested(entry);
    } else if (stage === 'certify') {
      heights.certified = Math.max(heights.certified, block.height);
    } else if (stage === 'notify') {
      graph.remove(entry);
    }
  }

  function publish(entry: BlockEntry): void {
    tip = { id: entry.id, height: entry.block.height, digest: entry.digest as StateDigest };
    window.settle(entry.id);
    contention.committed(entry);
    vouching.committed(tip.height);
    telemetry.gauge('pipeline_committed_height', tip.height);
    telemetry.gauge('pipeline_commit_lag_blocks', ordered.height - tip.height);
  }

  function announce(entry: BlockEntry): void {
    const { blockId, block, executed, preimage, digest, vouchedBy, finalization } = entry;
    if (executed === undefined || preimage === undefined || digest === undefined) return;
    const { receipts, skipped, stats } = executed;
    const made = { receipts, skipped, preimage, stateDigest: digest, certificate: vouchedBy, finalization, stats };
    const hidden = entry.clock.hidden();
    telemetry.event('block.committed', {
      ...{ height: block.height, view: block.view, blockId: to0x(blockId), proposer: block.proposer },
      ...{ timestampMs: block.timestampMs, transactions: receipts.length, stateDigest: to0x(digest) },
      times: { ...entry.clock.times() },
      shadowedMs: hidden.shadowedMs,
    });
    telemetry.observe('pipeline_hidden_share_ratio', hidden.share);
    committedHandlers.send({ blockId, block, ...made, times: entry.clock.times(), hidden });
  }

  function add(blockId: BlockId, block: Block, recorded = false): BlockEntry {
    const entry = createEntry(blockId, block, clock, recorded);
    const parent = graph.get(entry.parent);
    entry.failure = parent?.failure;
    graph.add(entry);
    return entry;
  }

  function begin(entry: BlockEntry): void {
    contention.unpark(entry);
    scheduler.advance(entry);
    vouching.added(entry);
    contention.reconsider();
  }

  function execute(blockId: BlockId, block: Block): Promise<StateDigest> {
    const known = graph.get(hexOf(blockId));
    if (known === undefined && block.height <= tip.height) return committedDigest(blockId, block.height);
    if (!running() || (known === undefined && block.height <= ordered.height)) return new Promise(() => {});
    const entry = known ?? add(blockId, block);
    entry.clock.mark('proposedMs');
    begin(entry);
    return entry.waiter.promise;
  }

  /** A late executor's question: the block is long committed, and consensus still wants to certify it. */
  async function committedDigest(blockId: BlockId, height: Block['height']): Promise<StateDigest> {
    const preimage = await ledger.preimage(height);
    if (preimage && bytesEqual(preimage.blockId, blockId)) return stateDigestOf(genesisHash, preimage);
    return new Promise(() => {});
  }

  function finalized(blockId: BlockId, block: Block, certificate: Finalization | StateCertificate): void {
    if (!running() || block.height <= ordered.height) return;
    if (block.height !== ordered.height + 1 || hexOf(asId<BlockId>(block.parentId)) !== ordered.id) {
      const data = { height: block.height, orderedHeight: ordered.height, blockId: to0x(blockId) };
      throw new PipelineError(
        'order-gap',
        `final block ${data.blockId} does not follow height ${ordered.height}`,
        data,
      );
    }
    const entry = graph.get(hexOf(blockId)) ?? add(blockId, block);
    ordered = { id: entry.id, height: block.height };
    const { subject } = certificate;
    const own = bytesEqual(subject.blockId, blockId);
    if (own && subject.kind === 'finalize') entry.finalization = certificate as Finalization;
    if (entry.failure !== undefined) return halt(failureOf(entry, 'execute', entry.failure));
    dropRivals(entry);
    scheduler.complete(entry, 'order');
    begin(entry);
    orderedHandlers.send({ blockId, block });
    if (subject.kind === 'certify') certified(certificate as StateCertificate);
  }

  /** Also orphans whose lineage never arrived: nothing at or below a final height can become final. */
  function dropRivals({ id, block }: BlockEntry): void {
    for (const rival of [...graph.all()]) {
      const loses = rival.id !== id && rival.block.height <= block.height && !rival.done.has('order');
      if (loses && graph.get(rival.id) === rival) contention.drop(rival);
    }
  }

  function certified(certificate: StateCertificate): void {
    if (!running()) return;
    if (certificate.subject.height > tip.height) return vouching.certified(certificate);
    const checked = checkCommitted(certificate).catch((error: unknown) => {
      telemetry.log('error', 'pipeline: a late certificate could not be checked', { error: String(error) });
    });
    background.add(checked);
    void checked.finally(() => background.delete(checked));
  }

  /** P4 holds for committed blocks too; and a certificate of the block itself makes its proofs shorter. */
  async function checkCommitted(certificate: StateCertificate): Promise<void> {
    const { height, blockId, stateDigest } = certificate.subject;
    const preimage = await ledger.preimage(height);
    if (preimage === undefined || !running()) return;
    const own = stateDigestOf(genesisHash, preimage);
    if (!bytesEqual(preimage.blockId, blockId) || !bytesEqual(own, stateDigest)) {
      return halt({ type: 'diverged', blockId: preimage.blockId, block: undefined, own, certified: certificate });
    }
    const { stateCertificate } = await ledger.certificates(height);
    if (stateCertificate === undefined) await ledger.putCertificates([certificate]);
  }

  function notarized(blockId: BlockId): void {
    const entry = graph.get(hexOf(blockId));
    if (entry === undefined || entry.notarized) return;
    entry.notarized = true;
    entry.clock.mark('notarizedMs');
    begin(entry);
  }

  function begin0(): void {
    for (const { blockId, block, digest } of start.recorded) {
      const entry = add(blockId, block, true);
      entry.digest = digest;
      scheduler.complete(entry, 'order');
      scheduler.complete(entry, 'certify');
    }
  }

  function status(): PipelineStatus {
    return {
      executedHeight: heights.executed,
      orderedHeight: ordered.height,
      certifiedHeight: heights.certified,
      committedHeight: tip.height,
      blocks: graph.size,
      parked: [...graph.all()].filter(({ parked }) => parked).length,
      executorWaiting: lanes.executor.waiting,
      diskWaiting: lanes.disk.waiting,
      replayIds: window.size,
      state: mode,
    };
  }

  async function stop(): Promise<void> {
    if (running()) mode = 'stopped';
    for (const entry of graph.all()) entry.abort.abort();
    await Promise.all([...Object.values(lanes).map((lane) => lane.idle()), ...background]);
  }

  const { ledgerHeight, stateHeight } = start.reconciled;
  telemetry.log(ledgerHeight === stateHeight ? 'info' : 'warn', 'pipeline: ledger and state store reconciled', {
    ...{ from: stateHeight, to: ledgerHeight, created: start.reconciled.created },
  });

  return {
    reconciled: start.reconciled,
    start: begin0,
    execute,
    finalized,
    certified,
    notarized,
    onOrdered: orderedHandlers.add,
    onCommitted: committedHandlers.add,
    onHalted: haltedHandlers.add,
    status,
    digestOf: (blockId) => graph.get(hexOf(blockId))?.digest,
    stop,
  };
}

function failureOf(entry: BlockEntry, stage: Stage, error: unknown): Extract<Halt, { type: 'failed' }> {
  return { type: 'failed', blockId: entry.blockId, block: entry.block, stage, error };
}
