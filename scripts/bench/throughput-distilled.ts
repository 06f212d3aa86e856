/**
 * The `throughput-distilled` bench: 4 validators, 1 full node and gateways on this machine, over the brokers' public streams.
 *
 *   register accounts --> rows and straggler signatures of a step, made before it --> send them when they are due --> outcomes, balances
 *   warm --> knee: steps of twice the rate, until one does not hold twice --> half of the one before, and higher ones, a minute each
 *
 * Windows, headers, roots, shares and batches are real; a gateway checks rows and root, and signs with the sum of its secrets. One share in a
 * hundred is withheld and one in a thousand is false, of accounts in turns (share-faults.ts); live clients have a socket and one account each.
 * A rate holds when its p99 of finality, from the intended send time to the broker's outcome, is under 2 s and each row ended as success.
 *
 * Claims: tps, finality_p50_ms, finality_p99_ms; live_p50_ms and live_p99_ms of live clients alone; lost (rows that did not end as success);
 * withheld_share and false_share as the brokers counted them, stragglers of all rows; wrong_accounts (whose balance at a node is not what
 * the final rows make it: a row that ran twice, or not, shows here), supply_difference; unproven (of sampled rows); row_us, processor time
 * of a node for a row, all threads; generator_ms, of this process per second.
 */
import { DISTILLED_DEFAULTS } from '@slipstream/types';
import { type BenchOptions, type Claim, claim } from './claim.ts';
import { onNetwork } from './load/network.ts';
import { countUnproven } from './throughput-distilled/audit.ts';
import { findHighest, type RateSearch } from './throughput-distilled/highest-rate.ts';
import { openSessions, type Sessions } from './throughput-distilled/open-sessions.ts';
import { auditor, type Found } from './throughput-distilled/press.ts';

interface Effort extends RateSearch {
  readonly accounts: number;
  /** Of rows, checked after the last run. */
  readonly proofs: number;
  readonly sessions: Sessions;
}

const FULL: Effort = {
  sessions: { gateway: 4, faulty: 32, live: 32 },
  accounts: 16_000,
  from: 1_000,
  ceiling: 64_000,
  warmSeconds: 40,
  stepSeconds: 10,
  seconds: 60,
  proofs: 1_000,
};
const SMOKE: Effort = {
  sessions: { gateway: 4, faulty: 4, live: 4 },
  accounts: 60,
  from: 100,
  ceiling: 100,
  warmSeconds: 0,
  stepSeconds: 1,
  seconds: 2,
  proofs: 5,
};
const VALIDATORS = 4;
const SETTINGS: Readonly<Record<string, number>> = {
  'consensus.minBlockIntervalMs': 300,
  'consensus.leaderTimeoutMs': 1_000,
  'consensus.viewTimeoutMs': 2_000,
};

export async function run({ smoke }: BenchOptions): Promise<Claim[]> {
  const effort = smoke ? SMOKE : FULL;
  const shape = { validators: VALIDATORS, fullNodes: 1, accounts: effort.accounts, distilled: DISTILLED_DEFAULTS };
  return onNetwork(shape, SETTINGS, async (network) => {
    const bench = await openSessions(network, effort);
    try {
      const found = await findHighest(bench, effort);
      const unproven = await countUnproven(auditor(network), found.rows, effort.proofs);
      return [...claimsOf(found), claim('unproven', unproven, 'count', Math.min(effort.proofs, found.rows.count))];
    } finally {
      for (const gateway of bench.gateways) gateway.close();
    }
  });
}

function claimsOf({ rows, perSecond, p50Ms, p99Ms, live, counts, lost, audit, costs }: Found): Claim[] {
  const final = rows.count - lost;
  const shares = Math.max(1, counts.good + counts.false + counts.missing);
  return [
    claim('tps', perSecond, '1/s', final),
    claim('finality_p50_ms', p50Ms, 'ms', final),
    claim('finality_p99_ms', p99Ms, 'ms', final),
    claim('live_p50_ms', live.quantileMs(0.5), 'ms', live.count),
    claim('live_p99_ms', live.quantileMs(0.99), 'ms', live.count),
    claim('lost', lost, 'count', rows.count),
    claim('withheld_share', counts.missing / shares, 'ratio', shares),
    claim('false_share', counts.false / shares, 'ratio', shares),
    claim('stragglers', counts.stragglers / Math.max(1, final), 'ratio', final),
    claim('wrong_accounts', audit?.wrongAccounts ?? 0, 'count', rows.count),
    claim('supply_difference', Number(audit?.supplyDifference ?? 0n), 'count', rows.count),
    claim('row_us', costs.rowUs, 'us', final),
    ...costs.threads.map(({ thread, rowUs }) => claim(`row_us_${nameOf(thread)}`, rowUs, 'us', final)),
    claim('blocks_per_second', costs.blocksPerSecond, '1/s', final),
    claim('generator_ms', costs.generatorMs, 'ms/s', final),
  ];
}

/** In a claim's name. */
function nameOf(thread: string): string {
  return thread.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_');
}
