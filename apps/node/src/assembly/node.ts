/**
 * Starts a node, stops it in reverse order, and exchanges its parts when it takes over a state.
 *
 *   identity --> state sync, if far behind --> API's thread --> generation (all other parts) --stop--> the next one, on the new state
 */
import { join } from 'node:path';
import {
  BEGINS_LATER_REMEDY,
  beginsLater,
  type Config,
  HOME,
  OFFERS_TOO_LITTLE_REMEDY,
  offersTooLittle,
} from '@slipstream/node-home';
import { type Identity, identityIn, loadIdentity } from '@slipstream/node-home/identity';
import { createClock, createRandom } from '@slipstream/platform';
import { LOG_LEVELS } from '@slipstream/schema';
import type { StagedState } from '@slipstream/sync/state-sync';
import { hexOf } from '@slipstream/types';
import { OLD_TRUST_REMEDY, oldTrustText } from '../epochs/checkpoint.ts';
import { knownVersion } from '../epochs/known-rules.ts';
import { stopReasonOf } from '../storage/disk-failure.ts';
import { openFloorMark } from '../storage/floor-mark.ts';
import { newestRecord } from '../storage/newest-record.ts';
import { createAlerts } from '../telemetry/alerts.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { createNodeTelemetry } from '../telemetry/telemetry.ts';
import { createTurnProfile } from '../threads/turn-profile.ts';
import { createChunkSpans } from '../tracing/chunk-spans.ts';
import { createTraceChoice } from '../tracing/trace-ids.ts';
import { openTracing, type Tracing, tracedOneIn } from '../tracing/tracing.ts';
import { VERSION } from '../version.ts';
import { startApi } from './api.ts';
import type { Links } from './building.ts';
import { createExchange, type Exchange } from './exchange.ts';
import { openGeneration } from './generation.ts';
import type { NodeWorld } from './node-world.ts';
import type { NodeStart, RunningNode } from './running-node.ts';
import { installStaged, syncState } from './state-sync.ts';

export async function startNode(start: NodeStart): Promise<RunningNode> {
  const { home, config } = start;
  const loaded = await loadIdentity(home, config);
  const links: Links = {};
  const tracing = start.openExport && openTracing(start.openExport, config, resourceOf(config, loaded));
  const { world, failed, finished } = createWorld(start, links, tracing);
  warnOfSettings(config, loaded, world);
  const folder = join(home, HOME.data);
  const floorMark = openFloorMark(folder, knownVersion(config, loaded.genesis));
  const identity = await identityNow(folder, loaded, world);
  const { ledgerIsChecked, oldTrust } = await syncState({ folder, identity, config, world, floorMark });
  links.oldTrust = oldTrust;
  if (oldTrust !== undefined)
    world.telemetry.log('warn', oldTrustText(oldTrust, world.clock.wallMs()), { remedy: OLD_TRUST_REMEDY });
  const api = config['api.enabled'] ? await startApi(start, identity, world) : undefined;
  let exchange: Exchange | undefined;
  const lasting = {
    start,
    world,
    api,
    links,
    floorMark,
    replaceState: (staged: StagedState) =>
      void exchange?.ask('state sync', { height: staged.height }, () => installStaged(staged, floorMark)),
    changeIdentity: () => void exchange?.ask('rotation', {}),
  };
  const first = await openGeneration({ ...lasting, identity }, ledgerIsChecked).catch(async (error: unknown) => {
    await api?.stop();
    await tracing?.stop();
    throw error;
  });
  exchange = createExchange(first, {
    world,
    api,
    async open() {
      const again = await identityNow(folder, await loadIdentity(home, config), world);
      return openGeneration({ ...lasting, identity: again }, true);
    },
  });
  const stop = createStop({ api, exchange, tracing }, links);
  void failed.then(() => {
    exchange.generation.failed();
    return stop();
  });
  const { genesis, genesisHash, validator } = identity;
  return {
    name: config.name,
    genesis,
    genesisHash,
    validator: validator?.index,
    apiUrl: first.apiUrl,
    networkAddresses: first.networkAddresses,
    finished,
    failed,
    replayCommand: () => exchange.generation.replayCommand(),
    exchange: (why, act) => exchange.ask(why, {}, act),
    stop,
  };
}

interface Stopping {
  readonly api: { stop(): Promise<void> } | undefined;
  readonly exchange: Exchange;
  readonly tracing: { stop(): Promise<void> } | undefined;
}

/** Idempotent. */
function createStop({ api, exchange, tracing }: Stopping, links: Links): () => Promise<void> {
  let stopping: Promise<void> | undefined;
  return () => {
    stopping ??= (async () => {
      const exchanged = exchange.end();
      await links.watch?.stop();
      await exchanged;
      // First the API: clients are notified, and requests end. Last the traces: the other parts end spans as they stop.
      for (const part of [api, exchange.generation, tracing]) await part?.stop().catch(() => {}); // it reported the error itself
    })();
    return stopping;
  };
}

/** The network key in use follows from the newest record here, if the node has two. */
async function identityNow(
  folder: string,
  identity: Identity,
  { telemetry }: Pick<NodeWorld, 'telemetry'>,
): Promise<Identity> {
  if (identity.networkKeys.length === 1) return identity;
  return identityIn(await newestRecord(folder, identity.genesis, telemetry), identity);
}

interface CreatedWorld {
  readonly world: NodeWorld;
  /** Resolves with the first reason to stop. */
  readonly failed: Promise<unknown>;
  readonly finished: Promise<void>;
}

function createWorld(start: NodeStart, links: Links, tracing: Tracing | undefined): CreatedWorld {
  const metrics = createMetrics();
  const clock = createClock();
  const telemetry = createNodeTelemetry(start.logger, metrics, tracing?.span);
  const failing = Promise.withResolvers<unknown>();
  const finishing = Promise.withResolvers<void>();
  const world: NodeWorld = {
    clock,
    random: createRandom(),
    telemetry,
    metrics,
    spans: tracing && createChunkSpans({ clock, telemetry }, createTraceChoice(tracedOneIn(start.config))),
    logging: loggingOf(start),
    turns: start.config['development.profileTurns'] ? createTurnProfile() : undefined,
    alerts: createAlerts(clock.monotonicMs),
    startedMs: clock.monotonicMs(),
    fail(reason) {
      links.revokeSigning?.();
      const why = stopReasonOf(reason);
      failing.resolve(why);
      links.view?.stops(why);
    },
    finish: () => finishing.resolve(),
  };
  return { world, failed: failing.promise, finished: finishing.promise };
}

function resourceOf({ name }: Config, { peer, validator, genesisHash }: Identity) {
  return {
    'service.name': 'slipstream',
    'service.version': VERSION,
    'service.instance.id': name,
    'slipstream.peer': peer,
    'slipstream.role': validator ? 'validator' : 'full-node',
    'slipstream.genesis': hexOf(genesisHash),
  };
}

/** Warns of settings that do not stop this node, but may stop its chain or other nodes. */
function warnOfSettings(config: Config, identity: Identity, { clock, telemetry }: NodeWorld): void {
  const { genesis, validator } = identity;
  const later = beginsLater(genesis, clock.wallMs());
  if (later !== undefined) telemetry.log('warn', later, { remedy: BEGINS_LATER_REMEDY });
  const tooLittle = validator && offersTooLittle(config, genesis);
  if (tooLittle !== undefined) telemetry.log('warn', tooLittle, { remedy: OFFERS_TOO_LITTLE_REMEDY });
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
