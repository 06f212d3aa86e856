/**
 * A node: every package wired to the machine, started in order, stopped in order.
 *
 *   identity --> executor's thread --> log --> verifier's threads --> dissemination --> consensus --> API
 *
 * This is the only place that knows all of them.
 */
import { join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import { type Consensus, restoreFrom } from '@slipstream/consensus';
import type { Dissemination } from '@slipstream/dissemination';
import type { Clock, Transport } from '@slipstream/ports';
import { assert } from '@slipstream/primitives';
import { LOG_LEVELS, whyNotSigning } from '@slipstream/schema';
import { type Sync, spareSlowFollowers } from '@slipstream/sync';
import { type Block, blockIdOf, type GenesisHash, genesisBlock, type StateCertificate } from '@slipstream/types';
import type { Refusal } from '@slipstream/wal';
import type { ApiThread } from '../api-thread/api.ts';
import { consensusOptions } from '../config/consensus-times.ts';
import type { Config } from '../config/keys.ts';
import { OFFERS_TOO_LITTLE_REMEDY, offersTooLittle } from '../config/snapshot-offers.ts';
import { NodeError } from '../errors.ts';
import { type Executor, openExecutor } from '../executor/executor.ts';
import { BEGINS_LATER_REMEDY, beginsLater } from '../folder/genesis-begin.ts';
import { type Identity, loadIdentity } from '../folder/identity.ts';
import { DATA, HOME } from '../folder/layout.ts';
import { createOperatorView, type OperatorView } from '../operator/operator-view.ts';
import { diskFailure, stopReasonOf } from '../storage/disk-failure.ts';
import { openStores, type Stores } from '../storage/stores.ts';
import { SIGNING_REFUSED_REMEDY } from '../telemetry/alert-rules.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { createNodeTelemetry } from '../telemetry/telemetry.ts';
import { watchThread } from '../threads/watch.ts';
import { createClock, createDisk, createRandom } from '../world/index.ts';
import { hasFaucet, startApi } from './api.ts';
import { createApplication, createArchive, createPayloadDesk, type PayloadDesk } from './application.ts';
import { type ConnectedConsensus, connectConsensus } from './connect-consensus.ts';
import { corruptVotes } from './corrupt.ts';
import { openDissemination, restoreDissemination, takeFrame } from './dissemination.ts';
import { type AskPeer, createDivergenceReport, type DivergenceReport } from './divergence.ts';
import { createFaultDesk } from './faults.ts';
import { openNetwork } from './network.ts';
import type { NodeWorld } from './node-world.ts';
import { failUnlessFull } from './overload.ts';
import { type FlightRecorder, openFlightRecorder } from './recorder.ts';
import type { NodeStart, RunningNode } from './running-node.ts';
import { syncState } from './state-sync.ts';
import { createSubmission, reportAttested, type Submission } from './submission.ts';
import { openUncommitted, type Uncommitted } from './uncommitted.ts';
import { openVerification } from './verification.ts';

/** Where the API is off, no thread hears of anything. */
const NO_AUDIENCE: Pick<ApiThread, 'publish' | 'attested' | 'ordered' | 'committed'> = {
  publish() {},
  attested() {},
  ordered() {},
  committed() {},
};

/** Blocks of the last 60 s are settled again at start: replays are known by them. */
const REPLAY_WINDOW_MS = 60_000;

export async function startNode(start: NodeStart): Promise<RunningNode> {
  const { home, config, logger } = start;
  const identity = await loadIdentity(home, config);
  const clock = createClock();
  const random = createRandom();
  const metrics = createMetrics();
  const telemetry = createNodeTelemetry(logger, metrics);
  let fail: (reason: unknown) => void = () => {};
  const failed = new Promise<unknown>((resolve) => {
    fail = resolve;
  });
  const finishing = Promise.withResolvers<void>();
  const links: Links = { stateReads: new MessageChannel() };
  const world: NodeWorld = {
    ...{ clock, random, telemetry, metrics },
    logging: loggingOf(start),
    fail(reason) {
      links.revokeSigning?.();
      const why = stopReasonOf(reason);
      fail(why);
      links.view?.stops(why);
    },
    finish: () => finishing.resolve(),
  };
  warnOfSettings(config, identity, world);
  const folder = join(home, HOME.data);
  const { ledgerIsChecked } = await syncState({ folder, identity, config, world });
  // First: its lock keeps a second process off the folder.
  const executor = await startExecutor(start, identity, world, links, ledgerIsChecked);
  const stops: (() => Promise<void> | void)[] = [() => executor.stop()];
  const disk = createDisk({ root: folder });
  const flight = await openFlightRecorder({ disk, clock, telemetry }, config, folder).catch(async (error: unknown) => {
    await stopAll(stops);
    throw error;
  });
  stops.push(() => flight.stop());
  const recorded = { ...world, recorder: flight.recorder };
  const parts = await assemble(start, identity, recorded, executor, links, stops).catch(async (error: unknown) => {
    flight.failed();
    await stopAll(stops);
    throw error;
  });
  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= stopAll(stops);
    return stopping;
  };
  void failed.then(() => {
    flight.failed();
    return stop();
  });
  return {
    name: config.name,
    ...{ genesis: identity.genesis, genesisHash: identity.genesisHash, validator: identity.validator?.index },
    apiUrl: parts.apiUrl,
    networkAddresses: parts.networkAddresses,
    finished: finishing.promise,
    failed,
    replayCommand: flight.command,
    stop,
  };
}

/** What does not stop this node, and may stop its chain, or others. */
function warnOfSettings(config: Config, { genesis, validator }: Identity, { clock, telemetry }: NodeWorld): void {
  const later = beginsLater(genesis, clock.wallMs());
  if (later !== undefined) telemetry.log('warn', later, { remedy: BEGINS_LATER_REMEDY });
  // Joining nodes ask validators.
  const tooLittle = validator && offersTooLittle(config, genesis);
  if (tooLittle !== undefined) telemetry.log('warn', tooLittle, { remedy: OFFERS_TOO_LITTLE_REMEDY });
}

/** Only while the chain has not passed the views that are refused. */
function warnOfRefusal({ viewsUpTo, reason }: Refusal, view: number, { telemetry }: NodeWorld): void {
  if (reason === undefined || viewsUpTo <= view) return;
  const why = whyNotSigning({ state: 'refused', upToView: viewsUpTo, reason });
  telemetry.log('warn', `this validator ${why}`, { upToView: viewsUpTo, reason, remedy: SIGNING_REFUSED_REMEDY });
}

/** In the reverse order of starting; one that fails does not keep the others up. */
async function stopAll(stops: (() => Promise<void> | void)[]): Promise<void> {
  for (let stop = stops.pop(); stop; stop = stops.pop()) {
    try {
      await stop();
    } catch {
      // Its own telemetry has told; what is durable is durable, and recovery does the rest.
    }
  }
}

function loggingOf({ logger, losses }: NodeStart): NodeWorld['logging'] {
  return {
    losses,
    level: async () => LOG_LEVELS.find((level) => level === logger.level) ?? 'info',
    async setLevel(level) {
      logger.level = level;
    },
  };
}

/** What is made after those that it is told of, or asked by. */
interface Links {
  /** The API's thread reads state on a channel of its own. */
  readonly stateReads: MessageChannel;
  /** Ends all signing, at once. */
  revokeSigning?: () => void;
  connected?: ConnectedConsensus;
  view?: OperatorView;
  desk?: PayloadDesk;
}

async function assemble(
  start: NodeStart,
  identity: Identity,
  world: NodeWorld & Pick<FlightRecorder, 'recorder'>,
  executor: Executor,
  links: Links,
  stops: (() => Promise<void> | void)[],
): Promise<{ readonly apiUrl: string | undefined; readonly networkAddresses: readonly string[] }> {
  const { config, home } = start;
  const { clock, random, telemetry, fail } = world;
  const { genesis, genesisHash, committee, validator } = identity;
  const api = config['api.enabled'] ? await startApi(start, identity, world, links.stateReads.port2) : undefined;
  if (api) stops.push(() => api.stop());
  const audience = api ?? NO_AUDIENCE;
  const stores = await openStores(join(home, HOME.data), identity, world);
  stops.push(() => stores.close());
  stops.push(watchThread(world, 'main', () => [...executor.queues(), ...(api?.queues() ?? [])]));
  const { wal, records, report } = stores.log;
  const refusal = await stores.signState.mayTrust(report);

  const verification = openVerification(identity, config, world);
  stops.push(() => verification.stop());
  const { signer } = verification;
  links.revokeSigning = verification.revokeSigning;

  const transport = openNetwork(identity, config, world);
  const sparing = spareSlowFollowers({ transport, clock, telemetry }, committee);
  const takesFaults = config['development.faults'] && genesis.development;
  const faults = createFaultDesk(takesFaults ? process : undefined, transport, config['development.corruptSignatures']);
  stops.push(() => faults.stop());
  const mayFail = takesFaults || config['development.corruptSignatures'];
  const maySign = Promise.withResolvers<void>();
  const dissemination = openDissemination(
    { identity, stores, executor, world, verifier: verification.verifier, signer, transport: sparing },
    {
      // Above all that may have been used: the log forgets chunks, and a sequence used twice is equivocation. Gaps are legal.
      firstChunkSequence: stores.signState.chunkMark + 1,
      attested: (chunk) => reportAttested(chunk, audience, telemetry),
      maySign: maySign.promise,
      connected: () => links.connected,
    },
  );
  stops.push(() => dissemination.stop());
  const desk = createPayloadDesk(dissemination);
  links.desk = desk;
  // Commits that are told until then go to dissemination, consensus and the log, which are stopped after it.
  stops.push(async () => {
    desk.stop();
    await executor.stop();
  });
  await restoreDissemination(dissemination, stores, REPLAY_WINDOW_MS);
  const uncommitted = await openUncommitted(stores.ledger, executor.openedAt, desk);
  stops.push(() => uncommitted.stop());

  const root = await committedRoot(stores, genesisBlock(genesisHash, genesis.timestampMs));
  if (validator) warnOfRefusal(refusal, root.block.view, world);
  const connected = connectConsensus(
    {
      transport: mayFail ? corruptVotes(sparing, faults.isCorrupt) : sparing,
      clock,
      random,
      verifier: verification.verifier,
      wal,
      signing: signer && { signer, signState: stores.signState },
      application: createApplication(dissemination, executor, desk),
      archive: createArchive(
        stores.ledger,
        dissemination,
        executor.segment,
        config['sync.snapshotEvery'] === 0 ? undefined : executor.snapshots,
      ),
      telemetry,
      recorder: world.recorder,
      onDisseminationFrame: (from, name, frame) => {
        takeFrame(dissemination, from, name, frame).catch(failUnlessFull(world, 'frame'));
      },
      onEvidence: (evidence) => {
        executor.putEvidence(evidence).catch(failUnlessFull(world, 'evidence'));
      },
      onBanned: (peer, reason, detail) => {
        // Strangers come with any number of keys: the log tells of them, and the ledger does not grow by them.
        if (!committee.members.some(({ peerKey }) => peerKey === peer)) return;
        const record = { peer, reason, detail, atMs: clock.wallMs() };
        executor.putPeerBlock(record).catch(failUnlessFull(world, 'peer-block'));
      },
      onFatal: fail,
    },
    {
      ...{ genesisHash, committee, self: validator?.index },
      options: consensusOptions(config),
      root,
      ...{ refuseUpToView: refusal.viewsUpTo, nullifyUpToView: refusal.nullifiesUpTo },
      restored: await restoreFrom(records),
      firstRetainedView: report.firstSequence === 1 ? 0 : root.block.view,
    },
  );
  links.connected = connected;
  const { consensus, sync } = connected;
  const view = createOperatorView(
    { ...world, stores, executor, dissemination, consensus, transport, verification },
    {
      ...{ identity, config, refusal, folder: join(home, HOME.data), hasFaucet: hasFaucet(identity, config) },
      headTimestampMs: root.block.timestampMs,
    },
    audience,
  );
  links.view = view;
  const submission = createSubmission(dissemination, audience);
  const explain = divergenceReportOf({ clock, genesisHash, transport, sync, executor });
  connectCommits({ dissemination, executor, desk, uncommitted, submission, view, consensus, fail, explain });
  stops.push(() => view.stop());
  executor.start();
  stops.push(() => connected.stop());
  // Stopped first: clients are told, and nobody asks those who stop next.
  if (api) stops.push(() => api.stop());
  const opened = await api?.open({ ...submission.link, ...view.link }, executor.status().committedHeight);
  let isStopping = false;
  stops.push(() => {
    isStopping = true;
  });
  // A stop ends the question too, unanswered.
  connected.start().then(() => isStopping || maySign.resolve(), fail);
  // A node is up when peers can reach it; consensus has called for that, and waits for more.
  await transport.start();
  return { apiUrl: opened?.url, networkAddresses: transport.addresses() };
}

/** Rejects when the stores cannot be opened. */
function startExecutor(
  { config, home }: NodeStart,
  { genesis, genesisHash }: Identity,
  { telemetry, fail }: NodeWorld,
  links: Links,
  ledgerIsChecked: boolean,
): Promise<Executor> {
  const every = config['sync.snapshotEvery'];
  return openExecutor(
    {
      telemetry,
      fail,
      async chunkOf(chunkId, signal) {
        assert(links.desk !== undefined, 'no chunk is asked for before the executor is started');
        return links.desk.chunkOf(chunkId, signal);
      },
      readers: config['api.enabled'] ? [links.stateReads.port1] : [],
    },
    {
      ...{ folder: join(home, HOME.data), genesis, genesisHash, ledgerIsChecked },
      mode: config['pipeline.mode'] === 'sequential' ? 'sequential' : 'parallel',
      snapshots: every === 0 ? undefined : { directory: DATA.snapshots, every, keep: config['sync.snapshotsKept'] },
      divergeAt:
        genesis.development && config['development.divergeAt'] >= 0 ? config['development.divergeAt'] : undefined,
      retention: { archive: config['retention.archive'], blocks: config['retention.blocks'] },
    },
  );
}

/** The newest committed block: where consensus begins. */
async function committedRoot(stores: Stores, genesis: Block) {
  const found = await stores.ledger.block('latest');
  if (!found) return { block: genesis, blockId: blockIdOf(genesis), certificate: undefined };
  const { finalization, stateCertificate } = await stores.ledger.certificates(found.block.height);
  return { block: found.block, blockId: found.blockId, certificate: stateCertificate ?? finalization };
}

interface DivergenceParts {
  readonly clock: Clock;
  readonly genesisHash: GenesisHash;
  readonly transport: Pick<Transport, 'peers'>;
  readonly sync: Pick<Sync, 'ask'>;
  readonly executor: Pick<Executor, 'segment'>;
}

function divergenceReportOf({ clock, genesisHash, transport, sync, executor }: DivergenceParts): DivergenceReport {
  const ask: AskPeer = (peer, blockId) => sync.ask(peer, { query: 'segment', id: blockId });
  const peers = () => transport.peers().flatMap(({ peer, connected }) => (connected ? [peer] : []));
  return createDivergenceReport({ clock, genesisHash, peers, ask, own: executor.segment });
}

/** Never rejects: a report that says less is better than none. */
async function whyHalted(message: string, certified: StateCertificate | undefined, explain: DivergenceReport) {
  if (certified === undefined) return message;
  const found = await explain(certified).catch((error: unknown) => `what differs could not be found: ${String(error)}`);
  return `${message}; ${found}. Nothing on disk was changed since: keep the data folder for diagnosis`;
}

interface CommitParts {
  readonly dissemination: Dissemination;
  readonly executor: Executor;
  readonly desk: PayloadDesk;
  readonly uncommitted: Uncommitted;
  readonly submission: Submission;
  readonly view: OperatorView;
  readonly consensus: Consensus;
  readonly fail: (reason: unknown) => void;
  readonly explain: DivergenceReport;
}

/** What a commit sets off, and what ends the node. */
function connectCommits(parts: CommitParts): void {
  const { dissemination, executor, desk, uncommitted, submission, view, consensus, fail, explain } = parts;
  executor.onOrdered(({ block }) => submission.ordered(block));
  executor.onCommitted((news) => {
    const { blockId, block, executedIds, skipped, executeMs } = news;
    dissemination.committed(blockId, block, { executedIds, skipped, executeMs });
    desk.close(block);
    uncommitted.committed(block).catch(fail);
    consensus.committed(block, dissemination.logFloor());
    consensus.pendingChanged();
    submission.committed(news);
    view.committed(block);
  });
  executor.onHalted(({ type, message, certified, byDisk }) => {
    if (byDisk) return fail(diskFailure(message));
    void whyHalted(message, certified, explain).then((why) => {
      view.halted(why);
      fail(new NodeError('node-failed', why, { halt: type }));
    });
  });
}
