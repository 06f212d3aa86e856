/**
 * The executor's thread: state store, ledger and pipeline.
 *
 *   open --> stores, reconciled pipeline --> start --> blocks, certificates in; digests, commits out --> stop
 */

import { assertStack } from '@slipstream/app-realm';
import { HASH_KEY_BYTES } from '@slipstream/crypto';
import {
  type CallWatch,
  createParallelCalls,
  encodeRegistration,
  FEES_KEY,
  readApplications,
  registrationBytes,
} from '@slipstream/execution';
import { evidenceCodec, peerBlockCodec } from '@slipstream/ledger';
import { compress } from '@slipstream/network/compression';
import { manifestsOf, type OpenApplications, openApplications } from '@slipstream/node-home/applications';
import { type CommittedBlock, createPipeline, type Halt, type Pipeline, treeOfStore } from '@slipstream/pipeline';
import { nextTurn } from '@slipstream/platform';
import type { Clock, DiskError, Random, Telemetry } from '@slipstream/ports';
import { assert, concatBytes, to0x } from '@slipstream/primitives';
import { type AnswerQueue, createAnswerQueue } from '@slipstream/sync/answer-queue';
import { createSnapshotArchive } from '@slipstream/sync/state-sync';
import {
  asId,
  type BlockId,
  blockCodec,
  certificateCodec,
  digestPreimageCodec,
  epochRecordCodec,
  hexOf,
  type StateDigest,
} from '@slipstream/types';
import { type CallPool, createCallPool } from '../parallel/call-pool.ts';
import { isByDisk } from '../storage/disk-failure.ts';
import { createRetention } from '../storage/retention.ts';
import type { Channel, Handlers } from '../threads/channel.ts';
import { decodeOwn } from '../threads/decode-own.ts';
import { errorToWire } from '../threads/errors.ts';
import { messageOf, optional, type ThreadMessage } from '../threads/message.ts';
import { createBlockSpans } from '../tracing/block-spans.ts';
import { createTraceChoice } from '../tracing/trace-ids.ts';
import { createChunkProvider } from './chunk-provider.ts';
import { encodeCommitted } from './committed-summary.ts';
import { REGISTRATIONS_PAGE } from './directory-table.ts';
import { executing } from './diverging.ts';
import { knownEpochs } from './known-epochs.ts';
import { createPipelineOrders, own } from './pipeline-orders.ts';
import { createStateProving } from './state-proving.ts';
import { type ExecutorStores, openExecutorStores } from './stores.ts';
import {
  type ExecutorSetting,
  type ExecutorSide,
  type HaltHead,
  type MainSide,
  type RequestPayload,
  type StateReadsSide,
  type StoredHead,
  unpackPayload,
} from './wire.ts';

interface ExecutorComponents {
  readonly clock: Clock;
  readonly random: Random;
  readonly telemetry: Telemetry;
  readonly main: () => Channel<MainSide>;
  readonly fail: (error: unknown) => void;
  readonly watch: CallWatch;
}

interface ExecutorService {
  readonly handlers: Handlers<ExecutorSide>;
  /** Handlers for another thread's own port. */
  readonly stateReads: Handlers<StateReadsSide>;
}

interface Running {
  readonly stores: ExecutorStores;
  readonly pipeline: Pipeline;
  readonly archive: ReturnType<typeof createSnapshotArchive>;
  readonly answerQueue: AnswerQueue;
  readonly proving: ReturnType<typeof createStateProving>;
  /** Writes that follow a commit. */
  readonly afterwards: Set<Promise<void>>;
  readonly pool: CallPool | undefined;
  readonly programs: OpenApplications;
  earliestHeight: number | null;
  /** Each block is one batch, so a read's batch gives its height, also while a commit is being synced. */
  readonly genesisBatch: number;
}

const STORED_MS = 1000;
const TREE_SECRET_BYTES = 32;

/** Time of rest per time of work: serving peers takes at most a third of the time. */
const REST_SERVING = 2;

/** Undefined: the chain has no applications, or no thread may run their calls. */
function callPoolOf(
  { clock, telemetry }: ExecutorComponents,
  { applications, accepted, callWorkers: count }: ExecutorSetting,
): CallPool | undefined {
  if (applications.length === 0 || count === 0) return undefined;
  const pool = createCallPool({ clock, telemetry }, count);
  for (const artifact of [...applications, ...accepted]) pool.add(artifact);
  return pool;
}

function applicationsOf({ applications, accepted }: ExecutorSetting, telemetry: Telemetry): OpenApplications {
  if (applications.length > 0) assertStack();
  const reportFault = (name: string, fault: string) =>
    telemetry.log('debug', `application ${name}: a call failed`, { fault });
  return openApplications(applications, { reportFault, accepted });
}

/** Those of epochs to come, so that the first block of one does not wait for a realm. */
function prepareNext(programs: OpenApplications, accepted: readonly Uint8Array[], { state }: ExecutorStores): void {
  const running = readApplications({ get: ({ bytes }) => state.get(bytes) });
  const versions = new Map(running.map(({ name, version }) => [name, version]));
  for (const [i, { name, version }] of manifestsOf(accepted).entries())
    if (version > (versions.get(name) ?? version)) programs.accept(accepted[i] as Uint8Array);
}

async function storedHead({ stores, earliestHeight }: Running): Promise<StoredHead> {
  return { state: { ...(await stores.state.stats()) }, earliestHeight };
}

export function createExecutorService(components: ExecutorComponents, setting: ExecutorSetting): ExecutorService {
  const { main, fail } = components;
  const opening = openRunning(components, setting);
  opening.catch(() => {}); // reported by `open`
  let running: Running | undefined;

  function opened(): Running {
    assert(running !== undefined, 'nothing is sent to the executor before it is open');
    return running;
  }

  async function open() {
    running = await opening;
    const { stores, pipeline } = running;
    connect(running, components, setting);
    const { records, epoch } = await knownEpochs(stores);
    const head = { status: { ...pipeline.status() }, stored: await storedHead(running), epoch };
    const fees = stores.state.get(FEES_KEY.bytes);
    assert(fees !== undefined, 'the state has fees since genesis');
    return messageOf(head, [fees, ...records.map((record) => epochRecordCodec.encode(record))]);
  }

  async function read({ bytes: keys }: ThreadMessage) {
    const { stores, genesisBatch } = running ?? (await opening);
    const values = keys.map((key) => stores.state.get(key));
    const missing = values.flatMap((value, i) => (value === undefined ? [i] : []));
    const found = values.filter((value) => value !== undefined);
    return messageOf({ height: stores.state.tip.batch - genesisBatch, missing }, found);
  }

  const prove = async ({ bytes: keys }: ThreadMessage) => (running ?? (await opening)).proving(keys);

  async function stop() {
    const { stores, pipeline, afterwards, pool } = await opening;
    await pipeline.stop();
    await pool?.stop();
    await Promise.allSettled(afterwards);
    await stores.close();
    return messageOf(null);
  }

  const stateReads: Handlers<StateReadsSide> = { calls: { read, prove }, notices: {} };
  return {
    stateReads,
    handlers: {
      calls: {
        open,
        stop,
        read,
        async accept({ bytes: [artifact] }) {
          const { programs, pool } = opened();
          programs.accept(own(artifact).slice());
          pool?.add(own(artifact).slice());
          return messageOf(null);
        },
        async registrations({ head: { from } }) {
          const { state } = opened().stores;
          const bytes = registrationBytes({ get: ({ bytes: key }) => state.get(key) }, from, REGISTRATIONS_PAGE);
          return messageOf(null, bytes.length === 0 ? [] : [bytes]);
        },
        async putEvidence({ bytes: [evidence] }) {
          await opened().stores.ledger.putEvidence(decodeOwn(evidenceCodec.decode(own(evidence))));
          return messageOf(null);
        },
        async putPeerBlock({ bytes: [record] }) {
          await opened().stores.ledger.putPeerBlock(decodeOwn(peerBlockCodec.decode(own(record))));
          return messageOf(null);
        },
        segment: ({ bytes: [id] }) =>
          opened().answerQueue(async () => messageOf(null, await segmentOf(opened(), asId<BlockId>(own(id))))),
        manifest: async () => messageOf(null, optional(await opened().archive.manifest())),
        async piece({ head: { file, offset }, bytes: [digest] }) {
          return messageOf(null, optional(await opened().archive.piece(asId<StateDigest>(own(digest)), file, offset)));
        },
        async receipts({ head: { from, to } }) {
          const found = await opened().archive.receipts(from, to);
          const blocks = found?.blocks.map((block) => blockCodec.encode(block)) ?? [];
          return messageOf({ blocks: blocks.length }, [...blocks, ...(found?.parts ?? [])]);
        },
      },
      notices: createPipelineOrders(() => opened().pipeline, {
        digested: (blockId, digest) => main().notify('digested', null, [blockId, digest]),
        fail,
      }),
    },
  };
}

async function openRunning(components: ExecutorComponents, given: ExecutorSetting): Promise<Running> {
  const { random, telemetry, watch, clock, main } = components;
  const { genesis, genesisHash, mode } = given;
  const programs = applicationsOf(given, telemetry);
  const { applications } = programs;
  const onDamaged = (error: DiskError) => main().notify('damaged', errorToWire(error));
  const stores = await openExecutorStores(given, { random, telemetry, applications, watch: { clock, onDamaged } });
  const request: RequestPayload = async (blockId, block, signal) => {
    const { bytes } = await main().call('payload', null, [blockId, blockCodec.encode(block)], signal);
    return unpackPayload(bytes);
  };
  const provider = createChunkProvider({ request, chunks: stores.chunks });
  prepareNext(programs, given.accepted, stores);
  const pool = callPoolOf(components, given);
  const { state, ledger } = stores;
  const { batch } = state.tip;
  const closing = async (error: unknown): Promise<never> => {
    await pool?.stop();
    await stores.close();
    throw error;
  };
  const secret = random.bytes(TREE_SECRET_BYTES);
  const tree = await treeOfStore(state, { secret, pause: nextTurn }).catch(closing);
  const pipeline = await createPipeline(
    {
      state,
      tree,
      ledger,
      clock,
      telemetry,
      applications,
      parallel: pool && createParallelCalls(pool),
      executeBlock: executing(given.divergeAt, watch),
      chunksOf: provider.chunksOf,
      keepChunks: provider.keep,
    },
    { genesis, genesisHash, mode, hashKey: random.bytes(HASH_KEY_BYTES) },
  ).catch(closing);
  const genesisBatch = batch - pipeline.status().committedHeight;
  const answerQueue = createAnswerQueue(clock, REST_SERVING);
  const archive = archiveOf({ stores, answerQueue, clock }, given);
  const proving = createStateProving({ clock, prove: pipeline.prove });
  const parts = { stores, pipeline, archive, answerQueue, proving, pool, programs };
  return { ...parts, afterwards: new Set(), earliestHeight: null, genesisBatch };
}

function archiveOf(
  { stores, answerQueue, clock }: Pick<Running, 'stores' | 'answerQueue'> & Pick<ExecutorComponents, 'clock'>,
  { genesisHash, snapshots }: ExecutorSetting,
) {
  const { disk, ledger } = stores;
  const monotonicMs = () => clock.monotonicMs();
  const directory = snapshots?.directory ?? '';
  const compression = { compress };
  return createSnapshotArchive({ disk, directory, ledger, monotonicMs, answerQueue, compression, genesisHash });
}

/** Parts of the digest of a block above the committed height, or of a recently committed one. */
async function segmentOf({ stores, pipeline }: Running, blockId: BlockId): Promise<readonly Uint8Array[]> {
  const { ledger, state } = stores;
  const found = await ledger.block({ id: blockId });
  const preimage = pipeline.preimageOf(blockId) ?? (found && (await ledger.preimage(found.block.height)));
  const segment = await state.segment(hexOf(blockId));
  const parent = found?.block.parentId ?? pipeline.parentOf(blockId);
  if (!preimage || !segment || !parent) return [];
  return [digestPreimageCodec.encode(preimage), segment, parent];
}

function connect(
  running: Running,
  { clock, telemetry, main, fail }: ExecutorComponents,
  setting: ExecutorSetting,
): void {
  const { stores, pipeline, afterwards } = running;
  const { ledger, chunks, state } = stores;
  const retained = (height: number) => {
    running.earliestHeight = height;
  };
  const retention = createRetention({ ledger, chunks, telemetry, retained }, setting.retention);

  async function reportStored(): Promise<void> {
    if (pipeline.status().state !== 'running') return;
    main().notify('stored', await storedHead(running));
    reportStoredLater();
  }

  function reportStoredLater(): void {
    clock.after(STORED_MS, () => afterwardsDo(reportStored()));
  }

  function afterwardsDo(work: Promise<void>): void {
    const done = work.catch((error: unknown) => {
      if (pipeline.status().state === 'running') fail(error);
    });
    afterwards.add(done);
    void done.then(() => afterwards.delete(done));
  }

  const traced =
    setting.tracedOneIn > 0 ? createBlockSpans(telemetry, createTraceChoice(setting.tracedOneIn)) : undefined;
  pipeline.onCommitted((committed: CommittedBlock) => {
    const { block } = committed;
    traced?.(committed);
    const fees = state.get(FEES_KEY.bytes);
    main().notify('committed', { ...pipeline.status() }, encodeCommitted(committed, fees));
    afterwardsDo(retention.committed(block.height));
  });
  reportStoredLater();
  if (setting.genesis.distilled) {
    pipeline.onDirectoryGrown(({ height, registered }) => {
      main().notify('directoryGrown', { height }, [concatBytes(...registered.map(encodeRegistration))]);
    });
  }
  pipeline.onSealed(({ recordHash, height, record }) => {
    main().notify('sealed', { height }, [recordHash, epochRecordCodec.encode(record)]);
  });
  pipeline.onHalted((halt) => {
    const { head, bytes } = haltMessage(halt);
    main().notify('halted', head, bytes);
  });
}

function haltMessage(halt: Halt): ThreadMessage<HaltHead> {
  const { blockId } = halt;
  if (halt.type === 'failed') {
    const text = `stage ${halt.stage} of block ${to0x(blockId)} at height ${halt.block.height} failed: ${String(halt.error)}`;
    return messageOf({ type: 'failed', height: halt.block.height, message: text, byDisk: isByDisk(halt.error) }, [
      blockId,
    ]);
  }
  const { subject } = halt.certified;
  const text =
    `block ${to0x(blockId)} at height ${subject.height}: this node computed the state digest ${to0x(halt.own)}, a quorum ` +
    `certified ${to0x(subject.stateDigest)} for ${hexOf(subject.blockId) === hexOf(blockId) ? 'it' : `block ${to0x(subject.blockId)}`}`;
  const head: HaltHead = { type: 'diverged', height: subject.height, message: text, byDisk: false };
  return messageOf(head, [blockId, halt.own, certificateCodec.encode(halt.certified)]);
}
