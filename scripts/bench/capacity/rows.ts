/** Rows of distilled batches at one validator alone, which is their broker too: gateways as in `throughput-distilled`. */
import { availableParallelism } from 'node:os';
import { DISTILLED_DEFAULTS } from '@slipstream/types';
import { type Claim, claim } from '../claim.ts';
import { onNetwork } from '../load/network.ts';
import { REFERENCE_VERIFICATION_US } from '../load/verification.ts';
import { countUnproven } from '../throughput-distilled/audit.ts';
import { findHighest, type RateSearch } from '../throughput-distilled/highest-rate.ts';
import { openSessions, type Sessions } from '../throughput-distilled/open-sessions.ts';
import { auditor, type Found } from '../throughput-distilled/press.ts';

export interface RowsEffort extends RateSearch {
  readonly accounts: number;
  readonly sessions: Sessions;
  /** Of rows, checked after the last run. */
  readonly proofs: number;
}

export const FULL_ROWS: RowsEffort = {
  // A stream may send 20,000 rows with straggler signatures per second.
  sessions: { gateway: 6, faulty: 8, live: 8 },
  accounts: 16_000,
  from: 4_000,
  ceiling: 128_000,
  warmSeconds: 30,
  stepSeconds: 6,
  seconds: 30,
  proofs: 200,
};
export const SMOKE_ROWS: RowsEffort = {
  sessions: { gateway: 2, faulty: 1, live: 1 },
  accounts: 24,
  from: 100,
  ceiling: 100,
  warmSeconds: 0,
  stepSeconds: 1,
  seconds: 2,
  proofs: 3,
};

interface RowsRun extends Found {
  readonly unproven: number;
}

export async function rowsOfOneValidator(
  settings: Readonly<Record<string, number>>,
  effort: RowsEffort,
): Promise<RowsRun> {
  const shape = { validators: 1, fullNodes: 0, accounts: effort.accounts, distilled: DISTILLED_DEFAULTS };
  return onNetwork(shape, settings, async (network) => {
    const bench = await openSessions(network, effort);
    try {
      const found = await findHighest(bench, effort);
      return { ...found, unproven: await countUnproven(auditor(network), found.rows, effort.proofs) };
    } finally {
      for (const gateway of bench.gateways) gateway.close();
    }
  });
}

export function rowsClaims({ rows, lost, ...found }: RowsRun, verificationUs: number): Claim[] {
  const { perSecond, counts, costs, audit } = found;
  const final = rows.count - lost;
  const shares = Math.max(1, counts.good + counts.false + counts.missing);
  const of = (name: string, value: number, unit: string) => claim(`distilled_${name}`, value, unit, final);
  return [
    of('tps', perSecond, '1/s'),
    of('tps_scaled', (perSecond * verificationUs) / REFERENCE_VERIFICATION_US, '1/s'),
    of('finality_p50_ms', found.p50Ms, 'ms'),
    of('finality_p99_ms', found.p99Ms, 'ms'),
    of('lost', lost, 'count'),
    of('withheld_share', counts.missing / shares, 'ratio'),
    of('false_share', counts.false / shares, 'ratio'),
    of('stragglers', counts.stragglers / Math.max(1, final), 'ratio'),
    of('wrong_accounts', audit?.wrongAccounts ?? 0, 'count'),
    of('unproven', found.unproven, 'count'),
    of('row_us', costs.rowUs, 'us'),
    of('node_cores', (costs.rowUs * perSecond) / 1e6, 'cores'),
    of('generator_cores', costs.generatorMs / 1e3, 'cores'),
    of('cores', availableParallelism(), 'cores'),
  ];
}
