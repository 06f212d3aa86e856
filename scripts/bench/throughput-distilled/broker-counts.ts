/** What the brokers counted, summed over the nodes: shares of each kind, stragglers, rows. */
import type { TargetNetwork } from '@slipstream/app-loadgen';
import { readMetrics } from '../load/network.ts';

export interface BrokerCounts {
  readonly good: number;
  readonly false: number;
  readonly missing: number;
  readonly stragglers: number;
  readonly windows: number;
}

export async function readBrokerCounts({ nodes }: TargetNetwork): Promise<BrokerCounts> {
  const lines = (await Promise.all(nodes.map(readMetrics))).flatMap((text) => text.split('\n'));
  const sum = (name: string, label = '') =>
    lines
      .filter((line) => !line.startsWith('#') && line.includes(name) && line.includes(label))
      .reduce((total, line) => total + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
  return {
    good: sum('broker_shares', 'kind="good"'),
    false: sum('broker_shares', 'kind="false"'),
    missing: sum('broker_shares', 'kind="missing"'),
    stragglers: sum('broker_stragglers'),
    windows: sum('broker_windows'),
  };
}

export function countsSince(before: BrokerCounts, after: BrokerCounts): BrokerCounts {
  return {
    good: after.good - before.good,
    false: after.false - before.false,
    missing: after.missing - before.missing,
    stragglers: after.stragglers - before.stragglers,
    windows: after.windows - before.windows,
  };
}
