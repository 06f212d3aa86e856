/**
 *   parts, telemetry --> instruments --> status --each second--> alerting, gauges, stats --> the API's thread
 */
import { to0x } from '@slipstream/primitives';
import type { Status } from '@slipstream/schema';
import type { ApiThread } from '../api-thread/api.ts';
import type { OperatorLink } from '../api-thread/node-link.ts';
import { reportFees } from '../telemetry/fee-metrics.ts';
import { createNodeGauges, type NodeGauges } from '../telemetry/node-gauges.ts';
import { createStatMetrics } from '../telemetry/stat-metrics.ts';
import { createStreamEvents } from '../telemetry/stream-events.ts';
import { createTrafficMetrics } from '../telemetry/traffic-metrics.ts';
import { VERSION } from '../version.ts';
import { createAlerting } from './alerting.ts';
import { createEpochEvents, type EpochEvents } from './epoch-events.ts';
import { createInstruments } from './instruments.ts';
import { createOperatorLink } from './operator-link.ts';
import type { OperatorParts, OperatorSetting } from './parts.ts';
import { createNodeStatus } from './status.ts';

export interface OperatorView extends EpochEvents {
  readonly link: OperatorLink;
  status(): Status;
  /** Raises an alert before the node stops. */
  halted(why: string): void;
  /** Call with every reason to stop. */
  stops(reason: unknown): void;
  stop(): void;
}

const STATS_MS = 1000;

export function createOperatorView(
  parts: OperatorParts,
  setting: OperatorSetting,
  audience: Pick<ApiThread, 'publish'>,
): OperatorView {
  const { transport, verification, executor, epochs, clock, telemetry } = parts;
  const instruments = createInstruments(parts, setting);
  const { liveness, peerTable, rates, clocks, storage, epochWatch } = instruments;
  const status = createNodeStatus(parts, instruments, setting);
  const alerting = createAlerting(parts, instruments, audience);
  const epochEvents = createEpochEvents(parts, setting.reportedEpoch ?? setting.head.epoch);
  const gauges = gaugesOf(parts, setting);
  const reportStats = createStatMetrics(telemetry);
  const reportTraffic = createTrafficMetrics(telemetry);
  let cancelStats = () => {};
  let stopped = false;

  telemetry.listen(
    createStreamEvents(audience, {
      committee: epochs.committee,
      recordOf: epochs.of,
      peerView: (of) => {
        const known = transport.peers().find(({ peer }) => peer === of);
        return known && peerTable.view(known);
      },
    }),
  );
  // A state sync beside the running node may have passed epochs, and streams stay open.
  epochEvents.committed(setting.head, false);

  function refresh(): void {
    const seen = status.read();
    gauges.update({
      status: seen,
      reachableWeightShare: liveness.reachableWeightShare(),
      sinceFinalMs: rates.read().sinceFinalMs,
      clockOffsetMs: clocks.read().offsetMs,
      epoch: epochWatch.read(),
    });
    alerting.check(seen);
  }

  function tick(): void {
    if (stopped) return;
    refresh();
    const stats = status.stats();
    audience.publish('stats', stats);
    reportStats(stats);
    reportTraffic(transport.traffic());
    reportFees(telemetry, executor.record().parameters.fees, { prices: executor.fees().prices, height: stats.height });
    verification.report();
    cancelStats = clock.after(STATS_MS, tick);
  }

  tick();
  return {
    link: createOperatorLink(parts, instruments, status),
    status: status.read,
    sealed: epochEvents.sealed,
    reportedEpoch: epochEvents.reportedEpoch,
    committed(block, governanceChanged) {
      status.committed(block);
      epochEvents.committed(block, governanceChanged);
    },
    halted(why) {
      alerting.halted(why);
      refresh();
    },
    stops(reason) {
      if (alerting.stops(reason)) refresh();
    },
    stop() {
      stopped = true;
      cancelStats();
      telemetry.stopListening();
      storage.stop();
      epochWatch.stop();
    },
  };
}

function gaugesOf({ telemetry }: Pick<OperatorParts, 'telemetry'>, { identity, config }: OperatorSetting): NodeGauges {
  const { genesis, genesisHash } = identity;
  return createNodeGauges(telemetry, {
    version: VERSION,
    runtime: process.version,
    chain: genesis.chain,
    genesis: to0x(genesisHash),
    name: config.name,
  });
}
