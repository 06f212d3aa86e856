import { createPeerTable, type PeerTable } from '../backend/peers.ts';
import { knownVersion } from '../epochs/known-rules.ts';
import type { Alerts } from '../telemetry/alerts.ts';
import { type ClockWatch, createClockWatch } from '../telemetry/clock-watch.ts';
import { createEventMetrics } from '../telemetry/event-metrics.ts';
import { createRateMeter, type RateMeter } from '../telemetry/stats.ts';
import { createStorageMeter, type StorageMeter } from '../telemetry/storage-meter.ts';
import { createEpochWatch, type EpochWatch } from './epoch-watch.ts';
import type { OperatorParts, OperatorSetting } from './parts.ts';
import { createPeerLiveness, type PeerLiveness } from './peer-liveness.ts';

export interface Instruments {
  readonly liveness: PeerLiveness;
  readonly peerTable: PeerTable;
  readonly rates: RateMeter;
  readonly storage: StorageMeter;
  readonly alerts: Alerts;
  readonly clocks: ClockWatch;
  readonly epochWatch: EpochWatch;
}

/** A node with more final heights to commit than this is catching up. */
const SYNCING_HEIGHTS = 8;

export function isSyncing({ consensus, executor }: Pick<OperatorParts, 'consensus' | 'executor'>): boolean {
  return consensus.status().highestReportedHeight > executor.status().committedHeight + SYNCING_HEIGHTS;
}

export function createInstruments(
  parts: OperatorParts,
  { identity, config, folder }: Pick<OperatorSetting, 'identity' | 'config' | 'folder'>,
): Instruments {
  const { clock, consensus, metrics, telemetry, alerts, epochs } = parts;
  const liveness = createPeerLiveness({ clock, consensus }, epochs);
  const peerTable = createPeerTable(epochs.committee, clock.wallMs);
  const rates = createRateMeter(clock.monotonicMs, epochs.self);
  const storage = createStorageMeter(folder, clock, metrics);
  const clocks = createClockWatch(
    {
      wallMs: clock.wallMs,
      monotonicMs: clock.monotonicMs,
      isFresh: (view) => view >= consensus.status().view - 1 && !isSyncing(parts) && liveness.knowsChain(),
    },
    epochs,
  );
  const ownKeys = identity.blsKeys.map(({ publicKey }) => publicKey);
  const epochWatch = createEpochWatch(
    {
      clock,
      telemetry,
      read: parts.executor.read,
      knownVersion: knownVersion(config, identity.genesis),
      artifacts: parts.artifacts,
    },
    ownKeys,
  );
  const events = createEventMetrics({ clock, telemetry });
  for (const { listen } of [peerTable, rates, storage, alerts, clocks, events]) telemetry.listen(listen);
  return { liveness, peerTable, rates, storage, alerts, clocks, epochWatch };
}
