/**
 * The API's thread: fastify, streams and console files, with copies of newest events and transaction statuses.
 *
 *   events of the main thread --> hub --> streams of all readers        submissions --> main thread --> results
 *   moves of the main thread --> tracker --> waits, events              reads --> ledger here, state at the executor
 */
import { join } from 'node:path';
import { createApi, createEventHub } from '@slipstream/api';
import { createChunkReader } from '@slipstream/chunk-files';
import { createIssuerMeter } from '@slipstream/crypto';
import { FEES_KEY, readFees } from '@slipstream/execution';
import { createLedgerReader } from '@slipstream/ledger';
import { DATA } from '@slipstream/node-home';
import { createDisk, openKeyValue } from '@slipstream/platform';
import type { Clock, KeyValue, Random, Telemetry } from '@slipstream/ports';
import type { EventData, EventType, Stats } from '@slipstream/schema';
import { createAuditLog } from '../backend/audit-log.ts';
import { createBackend } from '../backend/backend.ts';
import { createBlockTimes } from '../backend/block-times.ts';
import { createCommittedTransactions } from '../backend/committed-transactions.ts';
import { createFaucet } from '../backend/faucet.ts';
import { createFleetWatch } from '../backend/fleet-watch.ts';
import { createNodeOperation } from '../backend/operation.ts';
import { createReads } from '../backend/reads.ts';
import { createSessionReads } from '../backend/session-reads.ts';
import { createStatusSamples } from '../backend/status-samples.ts';
import { createTracker } from '../backend/tracker.ts';
import type { ReadStateValues } from '../executor/state-reader.ts';
import { closeAll } from '../storage/close-all.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Handlers } from '../threads/channel.ts';
import { messageOf, type ThreadMessage } from '../threads/message.ts';
import { type ExpiryWatch, watchExpiry } from './expiry-watch.ts';
import { eachWanted } from './ids.ts';
import type { NodeLink } from './node-link.ts';
import { sharing } from './sharing.ts';
import type { ApiSetting, ApiSide, EventLine } from './wire.ts';

interface ApiServiceComponents {
  readonly clock: Clock;
  readonly random: Random;
  readonly telemetry: Telemetry;
  readonly metrics: Metrics;
  readonly node: NodeLink;
  readonly read: ReadStateValues;
}

interface ApiService {
  readonly handlers: Handlers<ApiSide>;
}

export function createApiService(components: ApiServiceComponents, setting: ApiSetting): ApiService {
  const { clock, telemetry } = components;
  const events = createEventHub(components);
  const times = createBlockTimes();
  const isSampled = createStatusSamples(clock);
  const tracker = createTracker((id, { status, height }) => {
    if (!isSampled()) return;
    events.publish('transaction.status', { id: `0x${id}`, status, ...(height === undefined ? {} : { height }) });
  });
  const operation = createNodeOperation({
    clock,
    telemetry,
    logging: { level: components.node.logLevel, setLevel: components.node.setLogLevel },
    pending: () => tracker.openCount,
    finish: components.node.finish,
  });
  const stops: (() => Promise<void> | void)[] = [];
  let expiry: ExpiryWatch | undefined;
  let height = 0;
  let headTimestampMs = setting.genesis.timestampMs;

  function take(lines: readonly EventLine[]): void {
    for (const [type, data, atMs] of lines) {
      events.publish(type as EventType, withOperation(type, data) as EventData<EventType>, atMs);
      times.listen(type, data as Parameters<typeof times.listen>[1]);
    }
  }

  /** Adds the drain, of which the main thread does not know. */
  function withOperation(type: string, data: unknown): unknown {
    return type === 'stats' ? operation.withDrain(data as Stats) : data;
  }

  async function open({ head }: ThreadMessage<{ readonly height: number }>) {
    height = Math.max(height, head.height);
    const stores = await openReaders(setting.folder, telemetry);
    stops.push(stores.close);
    const fleet = createFleetWatch(setting.fleet, clock, (node) => events.publish('fleet.node', node));
    stops.push(fleet.stop);
    stops.push(operation.stop);
    const { genesis, genesisHash } = setting;
    const ledger = createLedgerReader(stores.ledger);
    const newest = await ledger.block('latest');
    // A younger block's notice may have come.
    headTimestampMs = Math.max(headTimestampMs, newest?.block.timestampMs ?? 0);
    const transactionOf = createCommittedTransactions(stores.chunks, ledger);
    expiry = watchExpiry({ clock, telemetry, tracker, ledger });
    stops.push(expiry.stop);
    const backend = createBackend({
      genesis,
      events,
      ledger,
      tracker,
      operation,
      meter: createIssuerMeter(clock),
      transactionOf,
      node: components.node,
      nameOf: fleet.nameOf,
      reads: createReads({ ledger, read: components.read, times, transactionOf, genesisHash, fees: genesis.fees }),
      sessions: createSessionReads({
        ledger,
        read: components.read,
        transactionOf,
        genesisHash,
        committeeCertificate: setting.committeeCertificate,
        headTimestampMs: () => headTimestampMs,
      }),
      height: () => height,
      headTimestampMs: () => headTimestampMs,
      faucetTransfer: faucetOf(components, setting),
    });
    const audit = createAuditLog(join(setting.folder, DATA.audit), telemetry);
    const metrics = metricsOf(components);
    const api = await createApi({ backend, telemetry, clock, audit, fleet, metrics }, setting.options);
    const { url } = await api.start();
    stops.push(() => api.stop());
    return messageOf({ url });
  }

  async function stop() {
    for (let last = stops.pop(); last; last = stops.pop()) await last();
    return messageOf(null);
  }

  return {
    handlers: {
      calls: { open, stop },
      notices: {
        events: ({ head }) => take(head),
        attested({ bytes: [ids] }) {
          eachWanted(own(ids), tracker.mayKnow, (id) => tracker.moved(id, 'attested'));
        },
        ordered({ head, bytes: [ids] }) {
          eachWanted(own(ids), tracker.mayKnow, (id) => tracker.moved(id, 'ordered', { height: head.height }));
        },
        committed({ head, bytes: [ids, failed] }) {
          height = Math.max(height, head.height);
          headTimestampMs = head.timestampMs;
          expiry?.committed(head.height, head.timestampMs);
          eachWanted(own(ids), tracker.mayKnow, (id, index) =>
            tracker.moved(id, failed?.[index] === 1 ? 'failed' : 'final', { height: head.height }),
          );
        },
      },
    },
  };
}

function own(bytes: Uint8Array | undefined): Uint8Array {
  return bytes ?? new Uint8Array(0);
}

/** Opens stores that the executor's thread writes: LevelDB lets threads share a store. */
async function openReaders(folder: string, telemetry: Telemetry) {
  const ledger: KeyValue = await openKeyValue({ location: join(folder, DATA.ledger), shared: true });
  const index: KeyValue = await openKeyValue({ location: join(folder, DATA.chunks), shared: true });
  const chunks = createChunkReader({ disk: createDisk({ root: folder }), index, telemetry }, DATA.chunkFiles);
  return {
    ledger,
    chunks,
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

function faucetOf({ clock, random, read }: ApiServiceComponents, { genesis, genesisHash, faucetSecret }: ApiSetting) {
  if (faucetSecret === undefined) return undefined;
  const fees = async () => {
    const { values } = await read([FEES_KEY.bytes]);
    return readFees(() => values[0], genesis.fees);
  };
  const { minimumPrices } = genesis.fees;
  return createFaucet({ clock, random, fees }, { genesisHash, minimumPrices, secret: faucetSecret });
}
