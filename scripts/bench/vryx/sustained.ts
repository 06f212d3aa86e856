/**
 * Real processes, 10 million accounts in the state of each, 30 minutes at one rate; every transaction is looked up on the chain at the end.
 *
 * The source: 100,000 transfers per second, 95,000 active accounts per second and 2.5 million per minute, on 55 machines of 32 cores. Here
 * five nodes and their clients share two cores, and all five verify every transaction.
 */
import {
  chartsOf,
  progressLine,
  type RunResult,
  resultText,
  runSteady,
  type TargetNetwork,
  warmUp,
} from '@slipstream/app-loadgen';
import { print } from '../../print.ts';
import { type BenchOptions, type Claim, claim } from '../claim.ts';
import { onNetwork, press, readMetrics } from '../load/network.ts';

interface Effort {
  readonly accounts: number;
  readonly transactionsPerSecond: number;
  readonly seconds: number;
}

const FULL: Effort = { accounts: 10_000_000, transactionsPerSecond: 600, seconds: 1_800 };
const SMOKE: Effort = { accounts: 2_000, transactionsPerSecond: 50, seconds: 4 };
const VALIDATORS = 4;
const FULL_NODES = 1;
const SEED = 'vryx';
/** As in the `throughput` bench. */
const SETTINGS = { 'consensus.minBlockIntervalMs': 300 };
/** As there. On one node, which is not the one that the audit reads; so the other nodes keep all blocks. */
const RETENTION = { node: 'validator-3', flags: ['--retention-blocks', '512'] } as const;
const LINE_SECONDS = 60;

export async function runSustained({ smoke, draw }: BenchOptions): Promise<Claim[]> {
  const effort = smoke ? SMOKE : FULL;
  const { result, stateKeys } = await sustain(effort);
  print(resultText(result));
  for (const chart of chartsOf(result.samples)) draw(chart);
  const { counts, audit, activeAccounts, finalPerSecond, latencies } = result;
  if (audit === null || activeAccounts === null) throw new Error('the chain was not audited');
  const final = counts.final;
  return [
    claim('sustained_tps', finalPerSecond, '1/s', final),
    claim('sustained_minutes', (result.samples.at(-1)?.seconds ?? 0) / 60, 'min', result.samples.length),
    claim('sustained_expired', counts.expired, 'transactions', counts.accepted),
    claim('sustained_lost', counts.lost + audit.faults.missing.length, 'transactions', counts.accepted),
    claim('sustained_refused', counts.refused, 'transactions', counts.sent),
    claim('sustained_finality_p50_ms', latencies.final?.p50 ?? Number.NaN, 'ms', final),
    claim('sustained_finality_p99_ms', latencies.final?.p99 ?? Number.NaN, 'ms', final),
    claim('accounts_in_state', stateKeys, 'accounts', VALIDATORS + FULL_NODES),
    claim('unique_accounts_per_second', activeAccounts.perSecond ?? 0, 'accounts', result.seconds),
    ...(activeAccounts.perMinute === null
      ? []
      : [claim('unique_accounts_per_minute', activeAccounts.perMinute, 'accounts', Math.floor(result.seconds / 60))]),
    claim('unique_accounts', activeAccounts.inAll, 'accounts', 1),
  ];
}

interface Sustained {
  readonly result: RunResult;
  /** Of the node with the fewest: the accounts, and some dozens of the chain's own entries. */
  readonly stateKeys: number;
}

async function sustain({ accounts, transactionsPerSecond, seconds }: Effort): Promise<Sustained> {
  const flagsOf = (node: string) => (node === RETENTION.node ? RETENTION.flags : []);
  const shape = { validators: VALIDATORS, fullNodes: FULL_NODES, accounts, flagsOf };
  return onNetwork(shape, SETTINGS, (network) =>
    press(network, { seed: SEED, accounts }, async ({ components }) => {
      const warmedBlocks = await warmUp(components, transactionsPerSecond);
      let printed = 0;
      const result = await runSteady(components, {
        transactionsPerSecond,
        seconds,
        firstBlock: warmedBlocks,
        audits: true,
        readsNodes: true,
        onSample(sample, before) {
          if (sample.seconds < printed + LINE_SECONDS) return;
          printed = sample.seconds;
          components.say(progressLine(sample, before));
        },
      });
      return { result, stateKeys: Math.min(...(await Promise.all(network.nodes.map(stateKeysOf)))) };
    }),
  );
}

async function stateKeysOf(node: TargetNetwork['nodes'][number]): Promise<number> {
  return Number(/^slipstream_state_keys (\d+)$/m.exec(await readMetrics(node))?.[1]);
}
