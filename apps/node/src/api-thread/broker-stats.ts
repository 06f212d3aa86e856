/** What a broker counted, for the event stream: the same numbers as in its metrics. */
import type { BrokerStats as Gauges } from '@slipstream/broker';
import type { Clock, Telemetry } from '@slipstream/ports';
import type { BrokerStats } from '@slipstream/schema';
import { createSlidingSamples } from '../telemetry/quantiles.ts';

interface BrokerCounters {
  /** For the broker: counts, and passes on. */
  readonly telemetry: Telemetry;
  read(gauges: Gauges): BrokerStats;
}

export function createBrokerCounters(clock: Pick<Clock, 'monotonicMs'>, telemetry: Telemetry): BrokerCounters {
  /** By name and label; both are of closed lists. */
  const totals = new Map<string, Map<string, number>>();
  const finalMs = createSlidingSamples();

  function totalOf(name: string, label = ''): number {
    return totals.get(name)?.get(label) ?? 0;
  }

  function reasonsOf(name: string): BrokerStats['refused'] {
    return [...(totals.get(name) ?? [])].map(([reason, count]) => ({ reason, count }));
  }

  return {
    telemetry: {
      ...telemetry,
      count(name, by = 1, labels) {
        const ofName = totals.get(name) ?? new Map<string, number>();
        totals.set(name, ofName);
        const label = Object.values(labels ?? {}).join();
        ofName.set(label, (ofName.get(label) ?? 0) + by);
        telemetry.count(name, by, labels);
      },
      observe(name, value, labels) {
        if (name === 'broker_batch_final_ms') finalMs.add(clock.monotonicMs(), value);
        telemetry.observe(name, value, labels);
      },
    },
    read: ({ sessions, indices, rows, roundTripP95Ms }) => ({
      sessions,
      accounts: indices,
      rowsInFlight: rows,
      windows: totalOf('broker_windows'),
      rows: totalOf('broker_rows_gathered'),
      sharesGood: totalOf('broker_shares', 'good'),
      sharesMissing: totalOf('broker_shares', 'missing'),
      sharesFalse: totalOf('broker_shares', 'false'),
      stragglers: totalOf('broker_stragglers'),
      refused: reasonsOf('broker_rows_refused'),
      dropped: reasonsOf('broker_rows_dropped'),
      batchesFinal: totalOf('broker_batches_final'),
      rowsFinal: totalOf('broker_rows_final'),
      batchMs: finalMs.quantiles(clock.monotonicMs()),
      roundTripMsP95: roundTripP95Ms,
    }),
  };
}
