/**
 * The main thread's side of the executor: the pipeline's interface.
 *
 * Status and fee prices after the newest reported commit are copied here; `read` fetches other state.
 */
import type { MessagePort } from 'node:worker_threads';
import { STACK_MIB } from '@slipstream/app-realm/limits';
import type { DirectoryColumns } from '@slipstream/distilled';
import { type EpochSeal, type FeeState, readFees, registrationsIn } from '@slipstream/execution';
import { evidenceCodec, type PeerBlockRecord, peerBlockCodec } from '@slipstream/ledger';
import type { OrderedBlock, Pipeline, PipelineStatus } from '@slipstream/pipeline';
import type { Clock, Telemetry } from '@slipstream/ports';
import type { SnapshotArchive } from '@slipstream/sync';
import {
  asId,
  type Block,
  type BlockId,
  blockCodec,
  type Certificate,
  certificateCodec,
  type DigestPreimage,
  digestPreimageCodec,
  type EpochEnd,
  type EpochRecord,
  type Evidence,
  epoch as epochOf,
  epochRecordCodec,
  type RecordHash,
  type StateCertificate,
  type StateDigest,
} from '@slipstream/types';
import { type Channel, createChannel } from '../threads/channel.ts';
import { decodeOwn } from '../threads/decode-own.ts';
import { errorFromWire, type WireError } from '../threads/errors.ts';
import { messageOf, type ThreadMessage } from '../threads/message.ts';
import type { QueueStats } from '../threads/send-queue.ts';
import { startThread } from '../threads/thread.ts';
import { sendTelemetry } from '../threads/thread-telemetry.ts';
import type { TurnProfile } from '../threads/turn-profile.ts';
import { createWatchedMemory, watchCalls } from './call-watch.ts';
import { type CommittedSummary, decodeCommitted } from './committed-summary.ts';
import { createDigestTable } from './digest-table.ts';
import { loadDirectory } from './directory-table.ts';
import { endlessCallError, type NamedCall, namedCall } from './endless-call.ts';
import { createRecordTable, type RecordTable } from './record-table.ts';
import { type ReadStateValues, stateReaderOf } from './state-reader.ts';
import {
  EXECUTOR_QUEUES,
  type ExecutorSetting,
  type ExecutorSide,
  type ExecutorThreadSetting,
  type HaltHead,
  type MainSide,
  type OpenedHead,
  packPayload,
  type RequestPayload,
  type StoredHead,
} from './wire.ts';

interface Halted extends HaltHead {
  readonly blockId: BlockId;
  /** The quorum's certificate, for a divergence. */
  readonly certified: StateCertificate | undefined;
}

export interface BlockAccount {
  readonly preimage: DigestPreimage;
  /** The 32 bytes before the segment, and the segment (readSegment of packages/state). */
  readonly segment: Uint8Array;
  readonly parentId: BlockId;
}

type OfPipeline = 'start' | 'execute' | 'finalized' | 'certified' | 'moved' | 'notarized' | 'onOrdered' | 'onSealed';

export interface Executor extends Pick<Pipeline, OfPipeline> {
  onCommitted(handler: (committed: CommittedSummary) => void): void;
  /** After `directory` has a further height. */
  onDirectoryGrown(handler: () => void): void;
  onHalted(handler: (halt: Halted) => void): void;
  /** After the newest commit reported here. */
  status(): PipelineStatus;
  fees(): FeeState;
  /** From the oldest epoch whose chunks may still be referenced to the sealed next one; ascending, without gaps. */
  records: RecordTable['all'];
  recordOf: RecordTable['of'];
  /** Of the epoch of the next block above the ledger's newest, which is older than `status` only after an old copy of the state. */
  record: RecordTable['current'];
  /** As of the newest final block that is executed, maybe above `status`. Undefined: the chain has none. */
  readonly directory: DirectoryColumns | undefined;
  /** At most a second old. */
  stored(): StoredHead;
  readonly read: ReadStateValues;
  /** Parts of this node's digest of a block; undefined when not retained. */
  segment(blockId: BlockId): Promise<BlockAccount | undefined>;
  putEvidence(evidence: Evidence): Promise<void>;
  putPeerBlock(record: PeerBlockRecord): Promise<void>;
  readonly snapshots: SnapshotArchive;
  /** Loads an artifact of a later epoch, before a block needs it. Rejects with a CodedError where it cannot be loaded. */
  accept(artifact: Uint8Array): Promise<void>;
  queues(): readonly QueueStats[];
  /** Finishes or reverts running work, closes the stores. Idempotent. */
  stop(): Promise<void>;
}

interface ExecutorLinks {
  readonly clock: Pick<Clock, 'after'>;
  readonly telemetry: Telemetry;
  readonly turns?: TurnProfile | undefined;
  readonly payloadOf: RequestPayload;
  /** The thread died or cannot continue. */
  readonly fail: (error: unknown) => void;
  readonly readers?: readonly MessagePort[];
  /** Called once, before `fail`. */
  readonly onEndless?: (call: NamedCall) => void;
}

/** Throws the errors of opening the stores: NodeError `home-in-use`, or a RemoteError with its code. */
export async function openExecutor(links: ExecutorLinks, setting: ExecutorSetting): Promise<Executor> {
  const callInHand = createWatchedMemory();
  let { accepted } = setting;
  const thread = startThread({
    ...threadOf({ ...setting, callInHand }),
    ports: links.readers ?? [],
    onFailure(error) {
      channel.close(error);
      links.fail(error);
    },
  });
  const reports = createReports(links);
  const channel: Channel<ExecutorSide> = createChannel<ExecutorSide, MainSide>(
    {
      port: thread.port,
      handlers: reports.handlers,
      onFault: links.fail,
      profiled: links.turns && { turns: links.turns, other: 'executor' },
    },
    EXECUTOR_QUEUES,
  );
  const unwatch = watchCalls({ clock: links.clock, memory: callInHand }, (call) =>
    endless(links, channel, namedCall(call, setting.applications, accepted)),
  );
  const { head, bytes } = await channel.call('open', null).catch(async (error: unknown) => {
    unwatch();
    await thread.end();
    throw error;
  });
  const directory = await directoryThrough(channel, setting, head.status);
  reports.opened(head, bytes, directory);
  let stopping: Promise<void> | undefined;

  async function stop(): Promise<void> {
    unwatch();
    // A dead thread cannot finish its work; its stores recover at the next opening.
    await channel.call('stop', null).catch(() => {});
    channel.close();
    await thread.end();
  }

  return {
    ...createOrders(channel, reports),
    ...reportedBy(reports),
    directory,
    read: stateReaderOf(channel),
    ...createQuestions(channel),
    snapshots: snapshotsThrough(channel),
    async accept(artifact) {
      await channel.call('accept', null, [artifact]);
      accepted = [...accepted, artifact];
    },
    queues: channel.queues,
    stop() {
      stopping ??= stop();
      return stopping;
    },
  };
}

function endless({ onEndless, fail }: ExecutorLinks, channel: Channel<ExecutorSide>, call: NamedCall): void {
  const error = endlessCallError(call);
  // The thread answers nothing more.
  channel.close(error);
  try {
    onEndless?.(call);
  } finally {
    fail(error);
  }
}

function threadOf(setting: ExecutorThreadSetting) {
  const stackMib = setting.applications.length > 0 ? STACK_MIB : undefined;
  return { name: 'executor', module: new URL('./executor-thread.ts', import.meta.url), setting, stackMib };
}

async function directoryThrough(
  channel: Channel<ExecutorSide>,
  { genesis }: ExecutorSetting,
  { committedHeight }: PipelineStatus,
): Promise<DirectoryColumns | undefined> {
  if (genesis.distilled === undefined) return undefined;
  return loadDirectory(committedHeight, async (from) => (await channel.call('registrations', { from })).bytes[0]);
}

type Questions = Pick<Executor, 'segment' | 'putEvidence' | 'putPeerBlock'>;

function createQuestions(channel: Channel<ExecutorSide>): Questions {
  return {
    async segment(blockId) {
      const { bytes } = await channel.call('segment', null, [blockId]);
      const [preimage, segment, parent] = bytes;
      if (!preimage || !segment || !parent) return undefined;
      const parentId = asId<BlockId>(parent.slice());
      return { preimage: decodeOwn(digestPreimageCodec.decode(preimage)), segment, parentId };
    },
    async putEvidence(evidence) {
      await channel.call('putEvidence', null, [evidenceCodec.encode(evidence)]);
    },
    async putPeerBlock(record) {
      await channel.call('putPeerBlock', null, [peerBlockCodec.encode(record)]);
    },
  };
}

type Orders = Pick<Executor, 'start' | 'execute' | 'finalized' | 'certified' | 'moved' | 'notarized'>;

function createOrders(channel: Channel<ExecutorSide>, reports: Reports): Orders {
  return {
    start: () => void channel.notify('start', null),
    execute(blockId, block) {
      // Sent on each call: the pipeline may have dropped the block.
      channel.notify('execute', null, [blockId, blockCodec.encode(block)]);
      return reports.digests.of(blockId, block.height);
    },
    finalized(blockId, block, certificate: Certificate) {
      channel.notify('finalized', null, [blockId, blockCodec.encode(block), certificateCodec.encode(certificate)]);
      reports.ordered(blockId, block);
    },
    certified: (certificate) => void channel.notify('certified', null, [certificateCodec.encode(certificate)]),
    moved({ blockId, block, fillers, certificate }: EpochEnd) {
      const blocks = fillers.map((filler) => blockCodec.encode(filler));
      const boundary = [blockId, blockCodec.encode(block), certificateCodec.encode(certificate)];
      channel.notify('moved', null, [...boundary, ...blocks]);
    },
    notarized: (blockId) => void channel.notify('notarized', null, [blockId]),
  };
}

type Reports = ReturnType<typeof createReports>;

function reportedBy({ records, ...reports }: Reports) {
  const { onOrdered, onCommitted, onSealed, onDirectoryGrown, onHalted, status, fees, stored } = reports;
  const ofRecords = { records: records.all, recordOf: records.of, record: records.current };
  return { onOrdered, onCommitted, onSealed, onDirectoryGrown, onHalted, status, fees, stored, ...ofRecords };
}

function createReports({ telemetry, payloadOf, fail }: ExecutorLinks) {
  const digests = createDigestTable();
  const ordered: ((block: OrderedBlock) => void)[] = [];
  const committed: ((committed: CommittedSummary) => void)[] = [];
  const sealed: ((seal: EpochSeal) => void)[] = [];
  const halted: ((halt: Halted) => void)[] = [];
  const grown: (() => void)[] = [];
  const records = createRecordTable();
  let status: PipelineStatus;
  let stored: StoredHead;
  let fees: FeeState;
  let directory: DirectoryColumns | undefined;
  let orderedHeight = 0;

  function takeFees(value: Uint8Array | undefined): void {
    if (value) fees = readFees(() => value, records.current().parameters.fees);
  }

  return {
    digests,
    records,
    status: () => status,
    fees: () => fees,
    stored: () => stored,
    onOrdered: (handler: (block: OrderedBlock) => void) => void ordered.push(handler),
    onCommitted: (handler: (committed: CommittedSummary) => void) => void committed.push(handler),
    onSealed: (handler: (seal: EpochSeal) => void) => void sealed.push(handler),
    onDirectoryGrown: (handler: () => void) => void grown.push(handler),
    onHalted: (handler: (halt: Halted) => void) => void halted.push(handler),
    opened(
      head: OpenedHead,
      [feeState, ...encoded]: readonly Uint8Array[],
      loaded: DirectoryColumns | undefined,
    ): void {
      directory = loaded;
      status = head.status;
      stored = head.stored;
      orderedHeight = head.status.orderedHeight;
      records.opened({ records: encoded.map(recordOf), epoch: epochOf(head.epoch) });
      takeFees(feeState?.slice());
    },
    /** Reports each height once, as the pipeline does. */
    ordered(blockId: BlockId, block: Block): void {
      if (block.height <= orderedHeight) return;
      orderedHeight = block.height;
      for (const handler of ordered) handler({ blockId, block });
    },
    handlers: {
      calls: {
        async payload({ bytes: [id, block] }: ThreadMessage, signal: AbortSignal) {
          const decoded = decodeOwn(blockCodec.decode(block as Uint8Array));
          return messageOf(null, packPayload(await payloadOf(asId<BlockId>(id as Uint8Array), decoded, signal)));
        },
      },
      notices: {
        digested: ({ bytes: [id, digest] }: ThreadMessage) =>
          digests.resolve(asId<BlockId>(id as Uint8Array), asId<StateDigest>((digest as Uint8Array).slice())),
        committed({ head, bytes }: ThreadMessage<PipelineStatus & ThreadMessage['head']>) {
          status = head;
          const made = decodeCommitted(bytes);
          records.committed(made.block);
          takeFees(made.fees);
          for (const handler of committed) handler(made);
          digests.committed(made.block.height);
        },
        directoryGrown({ head: { height }, bytes: [registered] }: ThreadMessage<{ readonly height: number }>) {
          directory?.grow(height, registrationsIn(registered as Uint8Array));
          for (const handler of grown) handler();
        },
        sealed({ head: { height }, bytes: [hash, encoded] }: ThreadMessage<{ readonly height: number }>) {
          const record = recordOf(encoded as Uint8Array);
          records.sealed(record);
          const recordHash = asId<RecordHash>((hash as Uint8Array).slice());
          for (const handler of sealed) handler({ recordHash, height, record });
        },
        halted({ head, bytes: [id, , certificate] }: ThreadMessage<HaltHead>) {
          status = { ...status, state: head.type };
          const certified = certificate && (decodeOwn(certificateCodec.decode(certificate)) as StateCertificate);
          const halt = { ...head, blockId: asId<BlockId>((id as Uint8Array).slice()), certified };
          for (const handler of halted) handler(halt);
        },
        damaged: ({ head }: ThreadMessage<WireError>) => fail(errorFromWire(head)),
        stored({ head }: ThreadMessage<StoredHead>) {
          stored = head;
        },
        telemetry: ({ head }: ThreadMessage<Parameters<typeof sendTelemetry>[1]>) => sendTelemetry(telemetry, head),
      },
    },
  };
}

/** Copied: it outlives the message. */
function recordOf(encoded: Uint8Array): EpochRecord {
  return decodeOwn(epochRecordCodec.decode(encoded.slice()));
}

/** Snapshots for joining peers. A full queue counts as no snapshot: the peer asks again, or asks another node. */
function snapshotsThrough(channel: Channel<ExecutorSide>): SnapshotArchive {
  return {
    async manifest() {
      return (await channel.call('manifest', null).catch(nothing)).bytes[0];
    },
    async piece(stateDigest, file, offset) {
      return (await channel.call('piece', { file, offset }, [stateDigest]).catch(nothing)).bytes[0];
    },
    async receipts(from, to) {
      const { head, bytes } = await channel.call('receipts', { from, to }).catch(() => messageOf({ blocks: 0 }));
      if (head.blocks === 0) return undefined;
      const blocks = bytes.slice(0, head.blocks).map((block) => decodeOwn(blockCodec.decode(block)));
      return { blocks, parts: bytes.slice(head.blocks) };
    },
  };
}

function nothing(): ThreadMessage {
  return messageOf(null);
}
