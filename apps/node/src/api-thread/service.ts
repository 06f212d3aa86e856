/**
 * The API's thread: fastify, streams and console files, with copies of newest events and transaction statuses.
 *
 *   events of the main thread --> hub --> streams of all readers        submissions --> main thread --> results
 *   moves of the main thread --> tracker --> waits, events              reads --> ledger here, state at the executor
 */
import { join } from 'node:path';
import { createApi, createEventHub, type EventHub, type NodeBackend } from '@slipstream/api';
import { type ChunkReader, createChunkReader } from '@slipstream/chunk-files';
import { createIssuerMeter } from '@slipstream/crypto';
import { createBodyReader, createLedgerReader, type LedgerReader } from '@slipstream/ledger';
import { DATA } from '@slipstream/node-home';
import { createDisk, openKeyValue } from '@slipstream/platform';
import type { Clock, PeerKey, Random, Telemetry } from '@slipstream/ports';
import type { EventData, EventType, Stats } from '@slipstream/schema';
import { createApplicationReads } from '../backend/application-reads.ts';
import { createAuditLog } from '../backend/audit-log.ts';
import { type BackendComponents, createBackend } from '../backend/backend.ts';
import { type BlockTimes, createBlockTimes } from '../backend/block-times.ts';
import { createCommittedBatches } from '../backend/committed-batches.ts';
import { createCommittedTransactions } from '../backend/committed-transactions.ts';
import { createEpochReads } from '../backend/epoch-reads.ts';
import { withFalseBalances } from '../backend/false-balances.ts';
import { createFaucet } from '../backend/faucet.ts';
import { createFleetWatch } from '../backend/fleet-watch.ts';
import { createNodeOperation } from '../backend/operation.ts';
import { createProvenReads } from '../backend/proven-reads.ts';
import { createReads, type Reads } from '../backend/reads.ts';
import { createRowReads } from '../backend/row-reads.ts';
import { createSessionReads } from '../backend/session-reads.ts';
import { ENDS } from '../backend/standing.ts';
import { createStatusSamples } from '../backend/status-samples.ts';
import { createTracker, type Tracker } from '../backend/tracker.ts';
import { decodeRanBatches, type RanBatch } from '../executor/ran-batches.ts';
import type { ReplaceableReader } from '../executor/state-reader.ts';
import type { QueryRunner } from '../queries/runner.ts';
import { closeAll } from '../storage/close-all.ts';
import { createReplaceableStore } from '../storage/replaceable-store.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Handlers } from '../threads/channel.ts';
import { messageOf, type ThreadMessage } from '../threads/message.ts';
import { type ClientSpans, createClientSpans } from '../tracing/client-spans.ts';
import { createTraceChoice } from '../tracing/trace-ids.ts';
import { type ApiBroker, createApiBroker } from './broker.ts';
import { createEventFeed, type EventFeed } from './event-feed.ts';
import { type ExpiryWatch, watchExpiry } from './expiry-watch.ts';
import { eachWanted, hexOfIds } from './ids.ts';
import type { NodeLink } from './node-link.ts';
import { createPrograms } from './programs.ts';
import { sharing } from './sharing.ts';
import type { ApiSetting, ApiSide, EventLine } from './wire.ts';

interface ApiServiceComponents {
  readonly clock: Clock;
  readonly random: Random;
  readonly telemetry: Telemetry;
  readonly metrics: Metrics;
  readonly node: NodeLink;
  readonly state: Pick<ReplaceableReader, 'read' | 'prove' | 'detach'>;
}

interface ApiService {
  readonly handlers: Handlers<ApiSide>;
}

/** Of a block; what is beyond stands in its list of batches. */
const BATCH_EVENTS_MAX = 256;
/** What the id of a row has of its batch's, in hexadecimal. */
const BATCH_PART_DIGITS = 56;

export function createApiService(components: ApiServiceComponents, setting: ApiSetting): ApiService {
  const { clock, telemetry } = components;
  const events = createEventHub(components);
  const times = createBlockTimes();
  const isSampled = createStatusSamples(clock);
  const spans = spansOf(components, setting);
  /** Of the block whose transactions are being moved. */
  let committedMs: number | undefined;
  const tracker = createTracker((id, { status, height }) => {
    if (ENDS.has(status)) spans?.ended(id, { status, height, committedMs });
    if (!isSampled()) return;
    events.publish('transaction.status', { id: `0x${id}`, status, ...(height === undefined ? {} : { height }) });
  });
  const operation = operationOf(components, () => tracker.openCount);
  const stores = createReaders(setting.folder, telemetry);
  const programs = createPrograms(components, setting);
  const stops: (() => Promise<void> | void)[] = [];
  let url: string | undefined;
  let expiry: ExpiryWatch | undefined;
  let broker: ApiBroker | undefined;
  let feed: EventFeed | undefined;
  let height = 0;
  let epoch = 0;
  let headTimestampMs = setting.genesis.timestampMs;

  function take(lines: readonly EventLine[]): void {
    for (const [type, data, atMs] of lines) {
      // The main thread knows neither of the drain nor of the broker.
      const whole = type === 'stats' ? withBroker(operation.withDrain(data as Stats), broker) : data;
      events.publish(type as EventType, whole as EventData<EventType>, atMs);
      times.listen(type, data as Parameters<typeof times.listen>[1]);
    }
  }

  /** The first call listens; one after `pause` continues on the exchanged stores. */
  async function open({ head, bytes: applications }: ThreadMessage<{ readonly height: number }>) {
    height = Math.max(height, head.height);
    programs.replace(applications);
    await stores.attach();
    const ledger = createLedgerReader(stores.ledger, stores.bodies);
    const newest = await ledger.block('latest');
    // A younger block's notice may have come.
    headTimestampMs = Math.max(headTimestampMs, newest?.block.timestampMs ?? 0);
    epoch = Math.max(epoch, newest?.block.epoch ?? 0);
    url ??= await listen(ledger);
    return messageOf({ url });
  }

  async function accepted({ bytes: [artifact] }: ThreadMessage) {
    programs.accepted(own(artifact).slice());
    return messageOf(null);
  }

  async function pause() {
    broker?.chain(undefined);
    components.state.detach();
    await stores.close();
    return messageOf(null);
  }

  async function listen(ledger: LedgerReader): Promise<string> {
    stops.push(stores.close);
    broker = setting.broker && brokerOf(components, setting, ledger, setting.broker);
    const fleet = createFleetWatch(setting.fleet, clock, (node) => events.publish('fleet.node', node));
    stops.push(() => broker?.stop(), fleet.stop, operation.stop);
    expiry = watchExpiry({ clock, telemetry, tracker, ledger });
    feed = createEventFeed({ ledger, events, telemetry }, namesOf(setting));
    stops.push(expiry.stop, programs.queries.stop);
    const backend = backendOn(components, setting, {
      ledger,
      ...programs,
      chunks: stores.chunks,
      events,
      tracker,
      spans,
      operation,
      times,
      nameOf: fleet.nameOf,
      height: () => height,
      epoch: () => epoch,
      headTimestampMs: () => headTimestampMs,
    });
    const audit = createAuditLog(join(setting.folder, DATA.audit), telemetry);
    const parts = { backend, telemetry, clock, audit, fleet, metrics: metricsOf(components), broker: broker?.door };
    const api = await createApi(parts, setting.options);
    const started = await api.start();
    stops.push(() => api.stop());
    return started.url;
  }

  return {
    handlers: {
      calls: { open, accepted, pause, stop: () => stopAll(stops) },
      notices: {
        events: ({ head }) => take(head),
        attested({ bytes: [ids] }) {
          eachWanted(own(ids), tracker.mayKnow, (id) => tracker.moved(id, 'attested'));
        },
        ordered({ head, bytes: [ids] }) {
          eachWanted(own(ids), tracker.mayKnow, (id) => tracker.moved(id, 'ordered', { height: head.height }));
        },
        chain: ({ head }) => broker?.chain(head),
        committed({ head, bytes: [ids, failed, skipped, batches] }) {
          height = Math.max(height, head.height);
          epoch = Math.max(epoch, head.epoch);
          headTimestampMs = head.timestampMs;
          expiry?.committed(head.height, head.timestampMs);
          committedMs = head.committedMs;
          broker?.committed(head, new Set(hexOfIds(own(skipped))));
          eachWanted(own(ids), tracker.mayKnow, (id, index) =>
            tracker.moved(id, failed?.[index] === 1 ? 'failed' : 'final', { height: head.height }),
          );
          committedMs = undefined;
          batchesRan({ tracker, events }, head.height, decodeRanBatches(own(batches)));
          feed?.committed(head.height);
        },
      },
    },
  };
}

interface BackendParts
  extends Pick<
    BackendComponents,
    'ledger' | 'events' | 'tracker' | 'spans' | 'operation' | 'nameOf' | 'height' | 'epoch' | 'headTimestampMs'
  > {
  readonly chunks: ChunkReader;
  readonly times: BlockTimes;
  readonly queries: QueryRunner;
  readonly inEpoch: NodeBackend['applications']['inEpoch'];
}

function operationOf({ clock, telemetry, node }: ApiServiceComponents, pending: () => number) {
  const { logLevel: level, setLogLevel: setLevel, finish } = node;
  return createNodeOperation({ clock, telemetry, logging: { level, setLevel }, pending, finish });
}

function namesOf({ genesis: { applications = [] } }: ApiSetting): readonly string[] {
  return applications.map(({ name }) => name);
}

function backendOn(components: ApiServiceComponents, setting: ApiSetting, parts: BackendParts): NodeBackend {
  const { clock, node, state } = components;
  const { genesis, genesisHash, committeeCertificate } = setting;
  const { ledger, chunks, times, headTimestampMs } = parts;
  const { read, prove } = state;
  const transactionOf = createCommittedTransactions(chunks, ledger);
  const rowsOf = createCommittedBatches(chunks, genesisHash);
  const rows = createRowReads({ ledger, read, rowsOf });
  const reads = createReads({ ledger, read, times, transactionOf, genesisHash, rows, rowsOf });
  const backend = createBackend({
    ...parts,
    rows,
    genesis,
    applications: createApplicationReads({ inEpoch: parts.inEpoch, read, ledger, runner: parts.queries }),
    node,
    meter: createIssuerMeter(clock),
    transactionOf,
    reads,
    sessions: createSessionReads({ ledger, read, transactionOf, genesisHash, committeeCertificate, headTimestampMs }),
    epochs: createEpochReads({ read, ledger, genesisHash, headTimestampMs }),
    proven: createProvenReads({ read, prove, ledger, headTimestampMs }),
    root: committeeCertificate,
    faucetTransfer: faucetOf(components, setting, reads.fees),
  });
  return setting.lies ? withFalseBalances(backend) : backend;
}

async function stopAll(stops: (() => Promise<void> | void)[]) {
  for (let last = stops.pop(); last; last = stops.pop()) await last();
  return messageOf(null);
}

function withBroker(stats: Stats, broker: ApiBroker | undefined): Stats {
  return broker === undefined ? stats : { ...stats, broker: broker.view() };
}

function brokerOf(
  { clock, random, telemetry, node, state }: ApiServiceComponents,
  { genesisHash }: ApiSetting,
  ledger: LedgerReader,
  broker: PeerKey,
): ApiBroker {
  return createApiBroker({ clock, random, telemetry, node, read: state.read, ledger }, { broker, genesisHash });
}

function spansOf({ clock, telemetry }: ApiServiceComponents, { tracedOneIn }: ApiSetting): ClientSpans | undefined {
  return tracedOneIn > 0 ? createClientSpans({ clock, telemetry }, createTraceChoice(tracedOneIn)) : undefined;
}

function batchesRan(
  { tracker, events }: { readonly tracker: Pick<Tracker, 'rowsRan'>; readonly events: Pick<EventHub, 'publish'> },
  height: number,
  batches: readonly RanBatch[],
): void {
  for (const { id } of batches) tracker.rowsRan(id.slice(0, BATCH_PART_DIGITS));
  for (const { id, rows, charged, skipped } of batches.slice(0, BATCH_EVENTS_MAX)) {
    events.publish('batch.distilled', { batchId: `0x${id}`, height, rows, charged, skipped });
  }
}

function own(bytes: Uint8Array | undefined): Uint8Array {
  return bytes ?? new Uint8Array(0);
}

/** Readers of stores that the executor's thread writes: LevelDB lets threads share a store. */
function createReaders(folder: string, telemetry: Telemetry) {
  const [ledger, index] = [createReplaceableStore(), createReplaceableStore()];
  const disk = createDisk({ root: folder });
  return {
    ledger,
    bodies: createBodyReader({ disk, keyValue: ledger, telemetry }, DATA.blockFiles),
    chunks: createChunkReader({ disk, index, telemetry }, DATA.chunkFiles),
    async attach() {
      ledger.attach(await openKeyValue({ location: join(folder, DATA.ledger), shared: true }));
      index.attach(await openKeyValue({ location: join(folder, DATA.chunks), shared: true }));
    },
    close: () => closeAll([ledger, index]),
  };
}

/** Joins the texts of this thread and the main one, which have no metric in common. */
function metricsOf({ node, metrics }: ApiServiceComponents) {
  return {
    contentType: metrics.registry.contentType,
    metrics: sharing(async () => `${await node.metrics()}${await metrics.registry.metrics()}`),
  };
}

function faucetOf(
  { clock, random }: ApiServiceComponents,
  { genesisHash, faucetSecret }: ApiSetting,
  feesNow: Reads['fees'],
) {
  if (faucetSecret === undefined) return undefined;
  const fees = async () => {
    const { prices, parameters } = await feesNow();
    return { prices, minimumPrices: parameters.minimumPrices };
  };
  return createFaucet({ clock, random, fees }, { genesisHash, secret: faucetSecret });
}
