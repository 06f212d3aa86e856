/**
 * The `pipeline-links` bench: the pipeline in real processes with link delays of ten regions, parallel against sequential.
 *
 * 10 validators and a full node share a few cores, so blocks are spaced out until delays are the limit, and validators have a lower
 * priority. Times are the full node's stage times, by one wall clock:
 *
 *   END TO END   from the leader's creation of the block to its commit at the full node
 *   AFTER ORDER  from the block's finality at the full node to its commit there
 *
 * In sequential mode a full node executes a final block, waits for its certificate, then writes it; the prediction is consensus + d + E +
 * C, with d an exchange of votes. Finality depends on the leader's region: the result is the mean over leaders, of blocks in both modes.
 */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { cpus, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startClusterLoad } from '@slipstream/app-loadgen';
import { type Cluster, createCluster, freePortRange, REGIONS } from '@slipstream/devnet';
import { flagName } from '@slipstream/node-home';
import type { BlockView } from '@slipstream/schema';
import { print } from '../print.ts';
import { type BenchOptions, type Claim, claim, printTable, quantile } from './claim.ts';

type Mode = 'parallel' | 'sequential';

interface Effort {
  readonly validators: number;
  readonly warmUpSeconds: number;
  readonly lowSeconds: number;
  readonly highSeconds: number;
  readonly highTps: number;
}

/** In the warm-up eleven processes compile their code. */
const FULL: Effort = { validators: 10, warmUpSeconds: 30, lowSeconds: 110, highSeconds: 40, highTps: 100 };
const SMOKE: Effort = { validators: 4, warmUpSeconds: 1, lowSeconds: 5, highSeconds: 5, highTps: 20 };

const LOW_TPS = 5;
/** Delays are the limit, not the machine; the longest path to finality takes half as long. */
const BLOCK_INTERVAL_MS = 1_000;

/** One mode under one load, ms. */
interface Measured {
  readonly mode: Mode;
  readonly load: string;
  readonly leaders: readonly number[];
  readonly endToEndMs: readonly number[];
  readonly afterOrderMs: readonly number[];
  /** Waiting for the state certificate; negative when it came first. */
  readonly certifiedAfterMs: readonly number[];
  readonly consensusMs: readonly number[];
  readonly voteMs: readonly number[];
  /** Execution and appending; in sequential mode with the waits between. */
  readonly workMs: readonly number[];
  /** Share of blocks whose batch was on disk before the full node knew that they are final. */
  readonly aheadShare: number;
  readonly busyShare: number;
}

export async function run({ smoke }: BenchOptions): Promise<Claim[]> {
  const effort = smoke ? SMOKE : FULL;
  print(
    `  ${effort.validators} validators and a full node in processes of their own, ${cpus().length} cores; a block every ` +
      `${BLOCK_INTERVAL_MS} ms, so that the machine is not the limit`,
  );
  const parallel = await measureMode('parallel', effort);
  const sequential = await measureMode('sequential', effort);
  const all = parallel.flatMap((each, at) => [each, sequential[at] as Measured]);
  printLinks(all);
  return parallel.flatMap((each, at) => claimsOf(each, sequential[at] as Measured));
}

async function measureMode(mode: Mode, effort: Effort): Promise<Measured[]> {
  const folder = await mkdtemp(join(tmpdir(), 'slipstream-links-'));
  const count = effort.validators + 1;
  const basePort = await freePortRange(2 * count);
  const pace = (['consensus.minBlockIntervalMs', 'consensus.idleBlockIntervalMs'] as const).flatMap((key) => [
    `--${flagName(key)}`,
    String(BLOCK_INTERVAL_MS),
  ]);
  const cluster = await createCluster({
    folder,
    validators: effort.validators,
    fullNodes: 1,
    basePort,
    apiPort: basePort + count,
    regions: REGIONS,
    flags: ['--log-level', 'warn', '--consensus-preset', 'wan', '--pipeline-mode', mode, ...pace],
  });
  try {
    await cluster.start();
    for (const node of cluster.nodes) if (node.validator !== undefined) await lowerPriority(node.process);
    const measured: Measured[] = [];
    // The high load compiles the code sooner.
    for (const [load, tps, seconds] of [
      ['high', effort.highTps, effort.highSeconds],
      ['low', LOW_TPS, effort.lowSeconds],
    ] as const) {
      measured.push(await measureLoad(cluster, { mode, load, tps, seconds }, effort.warmUpSeconds));
    }
    return measured;
  } finally {
    await cluster.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Niceness: the full node's threads get three times a validator's share. */
const VALIDATOR_PRIORITY = 5;

async function lowerPriority({ pid }: Cluster['nodes'][number]['process']): Promise<void> {
  if (pid === undefined) return;
  const threads = await readdir(`/proc/${pid}/task`).catch(() => [String(pid)]);
  for (const thread of threads) setPriority(Number(thread), VALIDATOR_PRIORITY);
}

interface Load {
  readonly mode: Mode;
  readonly load: string;
  readonly tps: number;
  readonly seconds: number;
}

async function measureLoad(
  cluster: Cluster,
  { mode, load, tps, seconds }: Load,
  warmUpSeconds: number,
): Promise<Measured> {
  const fullNode = cluster.nodes.find(({ validator }) => validator === undefined) as Cluster['nodes'][number];
  const sending = await startClusterLoad(cluster, { transactionsPerSecond: tps });
  await sleep(warmUpSeconds * 1_000);
  const [from, busyFrom] = [(await fullNode.client.status()).height, busy()];
  await sleep(seconds * 1_000);
  const [to, busyTo] = [(await fullNode.client.status()).height, busy()];
  await sending.finish();
  const own = await blocksOf(fullNode, from, to);
  const voters = cluster.nodes.filter(({ validator }) => validator !== undefined).slice(0, 3);
  const theirs = (await Promise.all(voters.map((node) => blocksOf(node, from, to)))).flat();
  if (own.length === 0) throw new Error(`${mode}, ${load}: the full node committed no block`);
  print(`  ${mode}, ${load} load: ${own.length} blocks`);
  return {
    mode,
    load,
    leaders: own.map(({ leader }) => leader),
    endToEndMs: own.map(({ made, times }) => times.committedMs - made),
    afterOrderMs: own.map(({ times }) => times.committedMs - times.finalizedMs),
    certifiedAfterMs: own.map(({ times }) => times.certifiedMs - times.finalizedMs),
    consensusMs: own.map(({ made, times }) => times.finalizedMs - made),
    voteMs: theirs.map(({ times }) => times.finalizedMs - times.notarizedMs),
    workMs: own.map(({ times }) => times.optCommittedMs - times.preparedMs),
    aheadShare: own.filter(({ times }) => times.optCommittedMs <= times.finalizedMs).length / own.length,
    busyShare: (busyTo.used - busyFrom.used) / (busyTo.total - busyFrom.total),
  };
}

interface TimedBlock {
  readonly leader: number;
  /** By the leader's clock. */
  readonly made: number;
  readonly times: Required<NonNullable<BlockView['times']>>;
}

async function blocksOf({ client }: Cluster['nodes'][number], from: number, to: number): Promise<TimedBlock[]> {
  const found: TimedBlock[] = [];
  for (let height = from + 1; height <= to; height++) {
    const { block, times } = await client.block(height);
    const known = times?.committedMs !== undefined && times.finalizedMs !== undefined;
    if (known) found.push({ leader: block.proposer, made: block.timestampMs, times: times as TimedBlock['times'] });
  }
  return found;
}

/** Of all cores since the machine's start, ms. */
function busy(): { readonly used: number; readonly total: number } {
  let [used, total] = [0, 0];
  for (const { times } of cpus()) {
    const all = times.user + times.nice + times.sys + times.irq + times.idle;
    total += all;
    used += all - times.idle;
  }
  return { used, total };
}

const mean = (values: readonly number[]): number => {
  const known = values.filter(Number.isFinite);
  return known.reduce((sum, value) => sum + value, 0) / Math.max(1, known.length);
};

function meanByLeader({ leaders }: Measured, values: readonly number[], of: readonly number[]): number {
  return mean(of.map((leader) => mean(values.filter((_, at) => leaders[at] === leader))));
}

const leadersOfBoth = (parallel: Measured, sequential: Measured): readonly number[] =>
  [...new Set(parallel.leaders)].filter((leader) => sequential.leaders.includes(leader));

function reductionOf(parallel: Measured, sequential: Measured): number {
  const leaders = leadersOfBoth(parallel, sequential);
  return (
    1 - meanByLeader(parallel, parallel.endToEndMs, leaders) / meanByLeader(sequential, sequential.endToEndMs, leaders)
  );
}

function predictedReduction(parallel: Measured, sequential: Measured): number {
  const hidden = mean(parallel.voteMs) + mean(parallel.workMs);
  return hidden / (meanByLeader(parallel, parallel.consensusMs, leadersOfBoth(parallel, sequential)) + hidden);
}

function claimsOf(parallel: Measured, sequential: Measured): Claim[] {
  const { load, endToEndMs } = parallel;
  const name = (what: string) => `links_${load}_${what}`;
  const samples = endToEndMs.length;
  const reduction = reductionOf(parallel, sequential);
  return [
    claim(name('after_order_p50_ms'), quantile(parallel.afterOrderMs, 0.5), 'ms', samples),
    claim(name('ahead_share'), parallel.aheadShare, 'share', samples),
    claim(name('end_to_end_ms'), mean(endToEndMs), 'ms', samples),
    claim(name('reduction'), reduction, 'share', samples),
    claim(name('of_prediction'), reduction / predictedReduction(parallel, sequential), 'share', samples),
  ];
}

function printLinks(all: readonly Measured[]): void {
  printTable(
    'links of ten regions, at the full node, ms',
    [
      'run',
      'blocks',
      'final',
      'd',
      'E + C',
      'mean',
      'p50',
      'p95',
      'after order p50',
      'p95',
      'certified',
      'ahead',
      'machine busy',
    ],
    all.map((each) => [
      `${each.load}, ${each.mode}`,
      each.endToEndMs.length,
      meanByLeader(each, each.consensusMs, [...new Set(each.leaders)]).toFixed(0),
      mean(each.voteMs).toFixed(0),
      each.mode === 'parallel' ? mean(each.workMs).toFixed(1) : '',
      meanByLeader(each, each.endToEndMs, [...new Set(each.leaders)]).toFixed(0),
      quantile(each.endToEndMs, 0.5).toFixed(0),
      quantile(each.endToEndMs, 0.95).toFixed(0),
      quantile(each.afterOrderMs, 0.5).toFixed(0),
      quantile(each.afterOrderMs, 0.95).toFixed(0),
      quantile(each.certifiedAfterMs, 0.5).toFixed(0),
      each.aheadShare.toFixed(3),
      each.busyShare.toFixed(2),
    ]),
  );
}
