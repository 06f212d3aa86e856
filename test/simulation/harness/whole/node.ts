/**
 * A whole node on simulated ports: state sync, real dissemination, consensus, pipeline, execution, state store, ledger and chunk files,
 * connected by the node's own code as far as that needs no threads.
 *
 *   far behind? --state sync--> stores --> submit --> chunks, certificates --> block --> pipeline --> receipts, state
 *                                 \--snapshots, blocks, chunks--> joining nodes
 */
import { type Application, type Consensus, LOCAL_OPTIONS, restoreFrom } from '@slipstream/consensus';
import { createDissemination, createHedgedFetch, type Dissemination } from '@slipstream/dissemination';
import type { DirectoryColumns } from '@slipstream/distilled';
import { compress, decompress } from '@slipstream/network/compression';
import type { Pipeline } from '@slipstream/pipeline';
import { type PeerKey, silentTelemetry, type Transport } from '@slipstream/ports';
import type { NodeWorld } from '@slipstream/simulator';
import { spareSlowFollowers } from '@slipstream/sync';
import { createAnswerQueue } from '@slipstream/sync/answer-queue';
import { createSnapshotArchive, type DataFolder, type StagedState } from '@slipstream/sync/state-sync';
import { feesAt, hexOf, TRANSACTION_LIFE_MS_MAX, unitsOf } from '@slipstream/types';
import { type OpenedWal, openSignState, openWal, type SignState } from '@slipstream/wal';
import { createApplication, createArchive } from '../../../../apps/node/src/assembly/application.ts';
import { type ConnectedConsensus, connectConsensus } from '../../../../apps/node/src/assembly/connect-consensus.ts';
import { restoreDissemination, takeFrame } from '../../../../apps/node/src/assembly/dissemination.ts';
import { untilAsked } from '../../../../apps/node/src/assembly/until-asked.ts';
import { createKnownRules, type KnownRules, refuseUnknownRules } from '../../../../apps/node/src/epochs/known-rules.ts';
import type { NodeEpochs } from '../../../../apps/node/src/epochs/node-epochs.ts';
import { withRenamedPeers } from '../../../../apps/node/src/epochs/renamed-peers.ts';
import { watchRotation } from '../../../../apps/node/src/epochs/watch-rotation.ts';
import { ranBatchesOf } from '../../../../apps/node/src/executor/ran-batches.ts';
import { createRetainedChunks } from '../../../../apps/node/src/storage/retained-chunks.ts';
import { checkAccounts } from '../accounts.ts';
import type { NodeCode } from '../cluster.ts';
import { LIMITS } from '../disseminating.ts';
import type { Root } from '../ordering-ledger.ts';
import { SIGN_STATE_FILE, type ValidatorSetting, WAL_FOLDER } from '../validator.ts';
import { type NodeApplications, openApplications } from './applications.ts';
import { openDirectory } from './directory.ts';
import { keysOf, openEpochs, ownIndexIn, ownSigner, withNetworkKey } from './epochs.ts';
import { PATHS, simulatedFolder } from './folder.ts';
import { joinIfFar, watchBehind } from './join.ts';
import { openPipeline } from './pipeline.ts';
import type { WholeRecord } from './record.ts';
import { genesisOf, HASH_KEY, type OpenedStores, openStores, PRICES } from './stores.ts';

/** Small, so that every run rotates and prunes. */
const SEGMENT_BYTES = 64 * 1024;
const REST_SERVING = 2;
/** No other program opens the folder. */
const NO_MARK = { raise() {} };

interface Parts {
  readonly world: NodeWorld;
  readonly setting: ValidatorSetting;
  readonly stores: OpenedStores;
  readonly log: OpenedWal;
  readonly signState: SignState;
  readonly epochs: NodeEpochs;
  readonly record: WholeRecord;
  readonly own: NodeApplications;
  readonly rules: KnownRules;
  /** Undefined: the chain has none. */
  readonly directory: DirectoryColumns | undefined;
  /** Until the signing-history query has ended. */
  maySign(): Promise<void>;
  /** Undefined until created. */
  connected(): ConnectedConsensus | undefined;
  /** After a stop nothing is a failure. */
  fail(error: unknown): void;
}

export function wholeNode(record: WholeRecord): NodeCode {
  return async (world, setting) => {
    const folder = simulatedFolder(world);
    const joinedAt = await joinIfFar(world, setting, folder);
    if (joinedAt !== undefined) record.joined(world.peer, joinedAt, 'at start');
    const own = openApplications(setting.chain.applications, setting.accepted?.() ?? []);
    const lasting = { given: world, setting, folder, record, own, replaced };
    let generation = await openGeneration(lasting);

    function replaced(next: Generation): void {
      generation = next;
    }

    return {
      get consensus() {
        return generation.consensus;
      },
      get transport() {
        return generation.transport;
      },
    };
  };
}

interface Generation {
  readonly consensus: Consensus;
  readonly transport: Transport;
}

/** For a process. */
interface Lasting {
  readonly given: NodeWorld;
  readonly setting: ValidatorSetting;
  readonly folder: DataFolder;
  readonly record: WholeRecord;
  readonly own: NodeApplications;
  readonly replaced: (generation: Generation) => void;
}

/** All parts on the present files. A state sync beside them, or another network key, ends one generation and begins the next (assembly/generation.ts). */
async function openGeneration(lasting: Lasting, pooled: readonly Uint8Array[] = []): Promise<Generation> {
  const { given, setting, folder, record, own, replaced } = lasting;
  const stores = await openStores(given, folder, setting.chain, own.applications);
  const signing = Promise.withResolvers<void>();
  let dissemination: Dissemination | undefined;
  let connected: ConnectedConsensus | undefined;
  let isStopped = false;

  function fail(error: unknown): void {
    if (!isStopped) given.exit(error instanceof Error ? error.message : String(error));
  }

  const pipeline = await openPipeline({ world: given, setting, stores, own, fail }, () => dissemination);
  const epochs = await openEpochs(setting, stores);
  refuseUnknownRules(epochs.record(), own.known);
  const rules = createKnownRules(
    { epochs, committedHeight: () => pipeline.status().committedHeight, floorMark: NO_MARK, clock: given.clock, fail },
    own.known,
  );
  const named = withNetworkKey(given, setting, epochs.record());
  const world = { ...named, transport: sparing(named, epochs) };
  const parts: Parts = {
    world,
    setting,
    stores,
    ...(await openLog(world, setting)),
    epochs,
    record,
    own,
    rules,
    directory: await openDirectory(setting, stores, pipeline.status().committedHeight),
    async maySign() {
      await signing.promise;
      await untilAsked({ ...(connected && { connected }) }, world.clock, () => isStopped);
    },
    connected: () => connected,
    fail,
  };
  const { log } = parts;
  dissemination = await openDissemination(parts);
  dissemination.resubmit(pooled);
  const opened = await connect(parts, dissemination, pipeline);
  connected = opened;
  follow(parts, dissemination, pipeline);
  const heads = { committedHeight: () => pipeline.status().committedHeight, committee: () => epochs.committee() };
  const watch = watchBehind(world, setting, folder, opened, stores.ledger, heads, replace);
  const rotation = watchRotation(epochs, keysOf(setting), world.transport.self, world, () => replace());
  void opened.start().then(signing.resolve, () => {});

  /** By a state, or under another network key. */
  function replace(staged?: StagedState): void {
    if (isStopped || !world.lifetime.alive) return;
    isStopped = true;
    rotation.stop();
    rules.stop();
    void change(staged).catch((error: unknown) => world.exit(String(error)));
  }

  async function change(staged: StagedState | undefined): Promise<void> {
    record.closed(world.peer);
    await watch.stop();
    await opened.stop();
    await pipeline.stop();
    const left = dissemination?.pooled();
    dissemination?.stop();
    await Promise.all([stores.state.close(), stores.ledger.close(), stores.chunks.close()]);
    await log.wal.close();
    if (staged) {
      await staged.install();
      record.joined(world.peer, staged.height, 'beside');
    }
    replaced(await openGeneration(lasting, left));
  }

  return { consensus: opened.consensus, transport: world.transport };
}

function sparing(world: NodeWorld, epochs: NodeEpochs): NodeWorld['transport'] {
  const renaming = withRenamedPeers(world.transport, epochs);
  const transport = spareSlowFollowers({ ...world, transport: renaming }, epochs.committee());
  epochs.onChanged((change) => {
    if (change === 'moved') transport.moved(epochs.committee());
  });
  return transport;
}

async function openLog(world: NodeWorld, { chain }: ValidatorSetting): Promise<Pick<Parts, 'log' | 'signState'>> {
  const { genesisHash } = chain;
  const signState = await openSignState(world, { path: SIGN_STATE_FILE, genesisHash });
  const log = await openWal(world, {
    directory: WAL_FOLDER,
    genesisHash,
    knownDurableSequence: signState.logSequence,
    segmentBytesMax: SEGMENT_BYTES,
  });
  return { log, signState };
}

async function openDissemination(parts: Parts): Promise<Dissemination> {
  const { world, setting, stores, log, signState, epochs, own, rules, directory, maySign, connected, fail } = parts;
  const unitsIn = own.unitsOfCalls(epochs);
  const { chain, verifier } = setting;
  const { wal } = log;
  const dissemination = createDissemination(
    {
      wal,
      transport: world.transport,
      clock: world.clock,
      telemetry: world.telemetry,
      verifier: { ...verifier, checkAccounts },
      distilled: directory && { directory, verifier: setting.distilled },
      epochs,
      signerOf(epoch) {
        const self = rules.isKnown(epoch) ? epochs.self(epoch) : undefined;
        return self === undefined ? undefined : ownSigner(epochs.of(epoch)?.members[self], setting);
      },
      rules: {
        unitsOf(transaction, bytes, epoch) {
          const unitsOfCalls = unitsIn(epoch);
          return unitsOfCalls && unitsOf(transaction, bytes, unitsOfCalls);
        },
        feeOf: feesAt(PRICES),
      },
      reports: {
        offence: (peer, reason, detail) => connected()?.consensus.offence(peer, reason, detail),
        equivocation: ({ offender }) => fail(`${offender} is blamed for two chunks`),
        stored: (producer, frame) => connected()?.sync.relayChunk(producer, frame),
        failed: fail,
        pendingChanged: () => connected()?.consensus.pendingChanged(),
      },
      loadChunk: createRetainedChunks(stores.chunks, silentTelemetry),
      fetchChunk: createHedgedFetch({
        transport: world.transport,
        clock: world.clock,
        random: world.random,
        ask: async (peer, id, signal) => (await connected()?.sync.ask(peer, { query: 'chunk', id }, signal))?.chunks[0],
      }),
      compression: { compress, decompress },
      async reserveSequence(chunkSequence) {
        await maySign();
        await signState.reserve({ chunkSequence, logSequence: wal.durableSequence });
      },
    },
    {
      genesis: genesisOf(chain),
      genesisHash: chain.genesisHash,
      firstSequence: signState.chunkMark + 1,
      hashKey: HASH_KEY,
      limits: LIMITS,
    },
  );
  world.lifetime.onEnd(() => dissemination.stop());
  await restoreDissemination(dissemination, { ...stores, log }, epochs, TRANSACTION_LIFE_MS_MAX);
  return dissemination;
}

async function connect(parts: Parts, dissemination: Dissemination, pipeline: Pipeline): Promise<ConnectedConsensus> {
  const { world, setting, stores, log, signState, epochs, rules, fail } = parts;
  const { chain, verifier } = setting;
  const { wal, records, report } = log;
  const refusal = await signState.mayTrust({ logId: report.logId, lastSequence: report.lastSequence });
  const root = await rootOf(stores, chain);
  const record = epochs.record();
  const restored = await restoreFrom(records, record.epoch);
  return connectConsensus(
    {
      ...world,
      verifier,
      wal,
      signing: { signerFor: ({ members }, self) => ownSigner(members[self], setting), signState },
      application: applicationOf(parts, dissemination, pipeline),
      archive: createArchive(stores.ledger, dissemination, async () => undefined, snapshotsOf(parts)),
      onDisseminationFrame: (from, name, frame) => void takeFrame(dissemination, from, name, frame).catch(fail),
      onEpoch(begun) {
        rules.begin(begun.record);
        epochs.sealed(begun.record);
        epochs.moved(begun.record.epoch);
        dissemination.sealed(begun.record);
        dissemination.moved();
      },
      onFatal: fail,
    },
    {
      genesisHash: chain.genesisHash,
      record,
      ended: root.block.next && (await stores.ledger.epochEnd(root.block.epoch)),
      selfIn: (committee) =>
        rules.isKnown(committee.epoch, restored.begun.get(committee.epoch)?.seal.record)
          ? ownIndexIn(committee, setting)
          : undefined,
      options: { ...LOCAL_OPTIONS, ...setting.options },
      root,
      refuseUpToView: refusal.viewsUpTo,
      nullifyUpToView: refusal.nullifiesUpTo,
      restored,
      firstRetainedView: report.firstSequence === 1 ? 0 : root.block.view,
    },
  );
}

function applicationOf(
  { world, epochs, rules, record }: Parts,
  dissemination: Dissemination,
  pipeline: Pipeline,
): Application {
  return rules.guard({
    ...createApplication(dissemination, pipeline),
    moved(end) {
      if (world.lifetime.alive) record.ended(world.peer, end);
      epochs.ended(end.block);
      pipeline.moved(end);
    },
  });
}

async function rootOf({ ledger }: OpenedStores, { genesis, genesisId }: ValidatorSetting['chain']): Promise<Root> {
  const found = await ledger.block('latest');
  if (!found) return { block: genesis, blockId: genesisId, certificate: undefined };
  const { finalization, stateCertificate } = await ledger.certificates(found.block.height);
  return { ...found, certificate: stateCertificate ?? finalization };
}

function snapshotsOf({ world: { disk, clock }, setting, stores: { ledger } }: Parts) {
  return createSnapshotArchive({
    disk,
    directory: PATHS.snapshots,
    ledger,
    monotonicMs: clock.monotonicMs,
    answerQueue: createAnswerQueue(clock, REST_SERVING),
    compression: { compress },
    genesisHash: setting.chain.genesisHash,
  });
}

/** As assembly/commits.ts does. */
function follow(
  { world, stores, epochs, rules, record, directory, connected }: Parts,
  dissemination: Dissemination,
  pipeline: Pipeline,
): void {
  const { committedHeight } = pipeline.status();
  const submit = async (bytes: Uint8Array) => {
    const result = await dissemination.submit(bytes);
    return result.type === 'rejected' ? result.reason : result.type;
  };
  const offer = async (bytes: Uint8Array, broker: PeerKey) => {
    const result = await dissemination.offerBatch(bytes, broker);
    return result.type === 'rejected' ? result.reason : result.type;
  };
  record.opened(world.peer, { ...stores, begunAt: committedHeight, submit, offer }, committedHeight);
  pipeline.onSealed((seal) => {
    if (!world.lifetime.alive) return;
    record.sealed(world.peer, seal);
    epochs.sealed(seal.record);
    dissemination.sealed(seal.record);
    connected()?.consensus.sealed(seal);
  });
  pipeline.onDirectoryGrown(({ height, registered }) => {
    directory?.grow(height, registered);
    dissemination.directoryGrew();
  });
  pipeline.onCommitted((committed) => {
    if (!world.lifetime.alive) return;
    const { blockId, block, receipts, skipped, batches, executeMs } = committed;
    record.committed(world.peer, committed);
    for (const { chunkId } of block.payload)
      void stores.chunks.get(chunkId).then((bytes) => record.chunk(chunkId, bytes), ignore);
    const executedIds = receipts.map(({ transactionId }) => hexOf(transactionId));
    dissemination.committed(blockId, block, { executedIds, skipped, batches: ranBatchesOf(batches), executeMs });
    connected()?.consensus.committed(block, dissemination.logFloor());
    connected()?.consensus.pendingChanged();
    rules.committed();
  });
  pipeline.start();
}

/** The node stopped. */
function ignore(): void {}
