/**
 * The `idle` bench: a node in a chain of four without load, and at five blocks per second.
 *
 *   chain with the default idle block interval --> settle --> processor time and memory over the span
 *   the same chain at five blocks per second --> settle --> the same
 *
 * Processor time is per process. Memory growth is the slope of a line through all samples: it bounds a leak. With four validators this
 * compares with no other system: the bench `buffered-chain` has the cores of a node of 50.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ProcessUse, readProcess } from '@slipstream/app-loadgen';
import { type Cluster, createCluster, freePortRange } from '@slipstream/devnet';
import { type BenchOptions, type Claim, claim, printTable } from './claim.ts';

const VALIDATORS = 4;
const BUSY_INTERVAL_MS = 200;
const FULL: Spans = { settleMs: 20_000, spanMs: 150_000, sampleMs: 5_000 };
const SMOKE: Spans = { settleMs: 2_000, spanMs: 4_000, sampleMs: 1_000 };
const MIB = 1024 * 1024;
const HOUR_MS = 3_600_000;

interface Sample {
  readonly atMs: number;
  readonly use: ProcessUse;
}

export interface MeasuredChain {
  /** Mean over the nodes. */
  readonly cores: number;
  /** Largest node, at the end. */
  readonly memoryMib: number;
  /** Mean over the nodes. */
  readonly growthMibPerHour: number;
  readonly blocksPerSecond: number;
  readonly samples: number;
}

export async function run({ smoke }: BenchOptions): Promise<Claim[]> {
  const plan = smoke ? SMOKE : FULL;
  const idle = await measureChain([], plan);
  const busy = await measureChain(['--consensus-idle-block-interval-ms', String(BUSY_INTERVAL_MS)], plan);
  printTable(
    `a node of a chain of ${VALIDATORS}, over ${plan.spanMs / 1000} s`,
    ['', 'blocks/s', 'cores', 'MiB', 'MiB/hour'],
    Object.entries({ idle, 'five blocks per second': busy }).map(([name, of]) => [
      name,
      of.blocksPerSecond,
      of.cores,
      of.memoryMib,
      of.growthMibPerHour,
    ]),
  );
  return [
    claim('cores_idle', idle.cores, 'cores', idle.samples),
    claim('cores_at_5_blocks', busy.cores, 'cores', busy.samples),
    claim('blocks_per_second', busy.blocksPerSecond, '1/s', busy.samples),
    claim('rss_mb', busy.memoryMib, 'MiB', VALIDATORS),
    claim('rss_growth_mb_per_hour', busy.growthMibPerHour, 'MiB/h', busy.samples),
  ];
}

export interface Spans {
  readonly settleMs: number;
  readonly spanMs: number;
  readonly sampleMs: number;
  readonly validators?: number;
}

/** A chain of its own, without load. `read` is called at the end of the span. */
export async function measureChain(
  flags: readonly string[],
  plan: Spans,
  read: (cluster: Cluster) => Promise<void> = async () => {},
): Promise<MeasuredChain> {
  const folder = await mkdtemp(join(tmpdir(), 'slipstream-idle-'));
  const { validators = VALIDATORS } = plan;
  const basePort = await freePortRange(2 * validators);
  const cluster = await createCluster({
    folder,
    validators,
    fullNodes: 0,
    basePort,
    apiPort: basePort + validators,
    flags,
  });
  try {
    await cluster.start();
    await sleep(plan.settleMs);
    const measured = await measure(cluster, plan);
    await read(cluster);
    return measured;
  } finally {
    await cluster.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function measure(cluster: Cluster, { spanMs, sampleMs }: Spans): Promise<MeasuredChain> {
  const heightBefore = await heightOf(cluster);
  const started = performance.now();
  const series = cluster.nodes.map((): Sample[] => []);
  while (performance.now() - started <= spanMs || (series[0]?.length ?? 0) < 2) {
    for (const [at, { process }] of cluster.nodes.entries()) {
      const use = await readProcess(process.pid ?? 0);
      if (use === undefined) throw new Error(`${cluster.nodes[at]?.name} ended while it was measured`);
      series[at]?.push({ atMs: performance.now(), use });
    }
    await sleep(sampleMs);
  }
  const heightAfter = await heightOf(cluster);
  const seconds = (performance.now() - started) / 1000;
  return {
    cores: mean(series.map(coresOf)),
    memoryMib: Math.max(...series.map((of) => (of.at(-1) as Sample).use.memoryBytes / MIB)),
    growthMibPerHour: mean(series.map(growthOf)),
    blocksPerSecond: (heightAfter - heightBefore) / seconds,
    samples: series.reduce((sum, of) => sum + of.length, 0),
  };
}

async function heightOf(cluster: Cluster): Promise<number> {
  const status = await cluster.nodes[0]?.client.status();
  if (status === undefined) throw new Error('there is no node to ask');
  return status.height;
}

function coresOf(samples: readonly Sample[]): number {
  const [first, last] = [samples[0] as Sample, samples.at(-1) as Sample];
  return (last.use.cpuSeconds - first.use.cpuSeconds) / ((last.atMs - first.atMs) / 1000);
}

function growthOf(samples: readonly Sample[]): number {
  const atMean = mean(samples.map(({ atMs }) => atMs));
  const memoryMean = mean(samples.map(({ use }) => use.memoryBytes));
  const covariance = samples.reduce((sum, { atMs, use }) => sum + (atMs - atMean) * (use.memoryBytes - memoryMean), 0);
  const variance = samples.reduce((sum, { atMs }) => sum + (atMs - atMean) ** 2, 0);
  return ((covariance / variance) * HOUR_MS) / MIB;
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
