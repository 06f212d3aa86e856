/**
 * Starts every package in order, stops them in reverse order.
 *
 *   identity --> executor's thread --> log --> verifier's threads --> dissemination --> consensus --> API
 *                \--> API's thread, which loads meanwhile
 */
import { join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import {
  BEGINS_LATER_REMEDY,
  beginsLater,
  type Config,
  HOME,
  OFFERS_TOO_LITTLE_REMEDY,
  offersTooLittle,
} from '@slipstream/node-home';
import { type Identity, loadIdentity } from '@slipstream/node-home/identity';
import { createClock, createDisk, createRandom } from '@slipstream/platform';
import { LOG_LEVELS } from '@slipstream/schema';
import { stopReasonOf } from '../storage/disk-failure.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { createNodeTelemetry } from '../telemetry/telemetry.ts';
import { startApi } from './api.ts';
import { assemble } from './assemble.ts';
import type { Links, Stop } from './building.ts';
import type { NodeWorld } from './node-world.ts';
import { openFlightRecorder } from './recorder.ts';
import type { NodeStart, RunningNode } from './running-node.ts';
import { startExecutor } from './start-executor.ts';
import { syncState } from './state-sync.ts';

export async function startNode(start: NodeStart): Promise<RunningNode> {
  const { home, config } = start;
  const identity = await loadIdentity(home, config);
  const links: Links = { stateReads: new MessageChannel() };
  const { world, failed, finished } = createWorld(start, links);
  warnOfSettings(config, identity, world);
  const folder = join(home, HOME.data);
  const { ledgerIsChecked } = await syncState({ folder, identity, config, world });
  const stops: Stop[] = [];
  const api = config['api.enabled'] ? await startApi(start, identity, world, links.stateReads.port2) : undefined;
  if (api) stops.push(() => api.stop());
  // The executor opens the folder before all others: its lock keeps a second process off.
  const executor = await startExecutor(start, identity, world, links, ledgerIsChecked).catch(async (error: unknown) => {
    await stopAll(stops);
    throw error;
  });
  stops.unshift(() => executor.stop());
  const recorderParts = { ...world, disk: createDisk({ root: folder }) };
  const flight = await openFlightRecorder(recorderParts, config, folder).catch(async (error: unknown) => {
    await stopAll(stops);
    throw error;
  });
  stops.push(() => flight.stop());
  const recorded = { ...world, recorder: flight.recorder };
  const building = { start, identity, world: recorded, executor, api, links, stops };
  const { apiUrl, networkAddresses } = await assemble(building).catch(async (error: unknown) => {
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
  const { genesis, genesisHash, validator } = identity;
  return {
    name: config.name,
    genesis,
    genesisHash,
    validator: validator?.index,
    apiUrl,
    networkAddresses,
    finished,
    failed,
    replayCommand: flight.command,
    stop,
  };
}

interface CreatedWorld {
  readonly world: NodeWorld;
  /** Resolves with the first reason to stop. */
  readonly failed: Promise<unknown>;
  readonly finished: Promise<void>;
}

function createWorld(start: NodeStart, links: Links): CreatedWorld {
  const metrics = createMetrics();
  const failing = Promise.withResolvers<unknown>();
  const finishing = Promise.withResolvers<void>();
  const world: NodeWorld = {
    clock: createClock(),
    random: createRandom(),
    telemetry: createNodeTelemetry(start.logger, metrics),
    metrics,
    logging: loggingOf(start),
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

/** Warns of settings that do not stop this node, but may stop its chain or other nodes. */
function warnOfSettings(config: Config, { genesis, validator }: Identity, { clock, telemetry }: NodeWorld): void {
  const later = beginsLater(genesis, clock.wallMs());
  if (later !== undefined) telemetry.log('warn', later, { remedy: BEGINS_LATER_REMEDY });
  const tooLittle = validator && offersTooLittle(config, genesis);
  if (tooLittle !== undefined) telemetry.log('warn', tooLittle, { remedy: OFFERS_TOO_LITTLE_REMEDY });
}

/** In reverse order of starting; a part that fails to stop does not keep the others running. */
async function stopAll(stops: Stop[]): Promise<void> {
  for (let stop = stops.pop(); stop; stop = stops.pop()) {
    try {
      await stop();
    } catch {
      // The failed part reported the error; the next start recovers.
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
