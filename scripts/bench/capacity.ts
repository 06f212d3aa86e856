/**
 * The `capacity` bench: what one validator alone carries on two cores. Its clients are this program, on the same cores.
 *
 *   verification time --> the limit: what is left of two cores beside the clients, over one verification
 *   network of one --> warm --> knee: short steps --> the highest rate, held longer
 *
 * A rate holds as in `throughput`. `share_of_limit` leaves out the clients' processor time, which is no work of a node;
 * `share_of_cores` counts it. `share_of_busy_limit` is as `share_of_limit`, with a verification as it is while all cores verify.
 * Each step says what a transaction cost each thread, and how long that waited for a processor: on a machine that others use, the
 * rates are theirs too.
 *
 * Then the same of rows of distilled batches, on another such network: the highest rate that holds as in `throughput-distilled`.
 * `distilled_tps_scaled` is for a machine that verifies a signature in REFERENCE_VERIFICATION_US; the goal is for it.
 */
import { availableParallelism } from 'node:os';
import {
  faultOf,
  parseMetrics,
  type RunResult,
  readThreads,
  resultText,
  runSteady,
  usedCpu,
  type WatchedNode,
  warmUp,
} from '@slipstream/app-loadgen';
import { print } from '../print.ts';
import { FULL_ROWS, rowsClaims, rowsOfOneValidator, SMOKE_ROWS } from './capacity/rows.ts';
import { type BenchOptions, type Claim, claim } from './claim.ts';
import { findRestedKnee } from './load/knee.ts';
import { onNetwork, type Pressed, press, readMetrics } from './load/network.ts';
import { threadCosts, threadCostsText } from './load/thread-costs.ts';
import { busyVerificationUs, verificationUs } from './load/verification.ts';

const SEED = 'capacity';
const ACCOUNTS = 10_000;
const BOUND = { finalityP99Ms: 2_000, refusedShareMax: 0.01 };
/** By default two cores have one verifier thread: alone it verifies half of what both could, 0.55 of the limit beside clients. */
const SETTINGS = { 'consensus.minBlockIntervalMs': 300, 'verifier.workers': availableParallelism() };
/** Metrics that show why a node refuses. */
const REPORTED: Readonly<Record<string, string>> = {
  window: 'dissemination_client_window_transactions',
  'chunk interval': 'dissemination_chunk_interval_ms',
  'compute units a block': 'dissemination_block_compute_max_units',
  'blocks bounded by execution': 'dissemination_blocks_bounded_by_execution_total',
};
const COMMITTED = 'slipstream_ledger_committed_transactions_total';

interface Effort {
  readonly from: number;
  readonly warmSeconds: number;
  readonly stepSeconds: number;
  readonly steps: number;
  readonly seconds: number;
  readonly verifications: number;
}

const FULL: Effort = {
  from: 2_000,
  warmSeconds: 40,
  stepSeconds: 8,
  steps: 12,
  seconds: 30,
  verifications: 4_000,
};
const SMOKE: Effort = {
  from: 100,
  warmSeconds: 0,
  stepSeconds: 2,
  steps: 1,
  seconds: 2,
  verifications: 500,
};

export const parts = ['transactions', 'rows'] as const;

export async function run({ smoke, part }: BenchOptions): Promise<Claim[]> {
  const effort = smoke ? SMOKE : FULL;
  const wants = (name: (typeof parts)[number]) => part === undefined || part === name;
  const claims: Claim[] = [];
  let before = await timeVerifications(effort.verifications);

  /** Claims with the lesser time of one before and one after. */
  async function timed<T>(work: () => Promise<T>, claimsOf: (found: T, us: VerificationTimes) => Claim[]) {
    const found = await work();
    const after = await timeVerifications(effort.verifications);
    claims.push(...claimsOf(found, lesser(before, after)));
    before = after;
  }

  if (wants('transactions')) {
    const ceiling = smoke ? effort.from : Math.round(1e6 / before.alone) * availableParallelism();
    await timed(() => transactionsOfOneValidator(effort, ceiling), transactionsClaims);
  }
  if (wants('rows')) {
    const rows = smoke ? SMOKE_ROWS : FULL_ROWS;
    await timed(
      () => rowsOfOneValidator(SETTINGS, rows),
      (found, us) => rowsClaims(found, us.alone),
    );
  }
  return claims;
}

async function transactionsOfOneValidator(effort: Effort, ceiling: number): Promise<RunResult> {
  const shape = { validators: 1, fullNodes: 0, accounts: ACCOUNTS };
  const found = await onNetwork(shape, SETTINGS, (network) =>
    press(network, { seed: SEED, accounts: ACCOUNTS }, (pressed) => findHighest(pressed, effort, ceiling)),
  );
  print(resultText(found));
  return found;
}

/** Us of processor for one. */
interface VerificationTimes {
  /** On one core. */
  readonly alone: number;
  /** On all cores at once. */
  readonly busy: number;
}

function lesser(a: VerificationTimes, b: VerificationTimes): VerificationTimes {
  return { alone: Math.min(a.alone, b.alone), busy: Math.min(a.busy, b.busy) };
}

async function timeVerifications(count: number): Promise<VerificationTimes> {
  return { alone: verificationUs(count), busy: await busyVerificationUs(count) };
}

async function findHighest(pressed: Pressed, effort: Effort, ceiling: number): Promise<RunResult> {
  let firstBlock = effort.warmSeconds > 0 ? await warmUp(pressed.components, effort.from) : 0;
  const measure = async (rate: number, seconds: number) => {
    const result = await measured(pressed, rate, seconds, firstBlock);
    firstBlock += result.blocks;
    return { run: result, fault: faultOf(result, BOUND) };
  };
  if (effort.warmSeconds > 0) await measure(effort.from, effort.warmSeconds);
  const knee = await findRestedKnee(async (rate) => (await measure(rate, effort.stepSeconds)).fault, {
    from: effort.from,
    ceiling,
    stepsMax: effort.steps,
  });
  let rate = Math.max(knee.transactionsPerSecond, effort.from);
  for (let attempt = 0; ; attempt++) {
    const { run: held, fault } = await measure(rate, effort.seconds);
    if (fault === undefined || attempt === ATTEMPTS) return held;
    await measure(Math.round(rate * REST), effort.stepSeconds);
    rate = Math.round(rate * LOWER);
  }
}

const ATTEMPTS = 4;
const LOWER = 0.9;
/** Share of the rate that did not hold, before a lower one. */
const REST = 0.5;

async function measured(
  { components, network }: Pressed,
  rate: number,
  seconds: number,
  firstBlock: number,
): Promise<RunResult> {
  let report = '';
  const [node] = network.nodes as readonly [WatchedNode];
  const result = await runSteady(components, {
    transactionsPerSecond: rate,
    seconds,
    firstBlock,
    audits: true,
    readsNodes: true,
    during: async (sent) => {
      const begin = await readingOf(node);
      await new Promise((resolve) => sent.addEventListener('abort', resolve, { once: true }));
      const end = await readingOf(node);
      report = `${costsBetween(begin, end)}\n    ${reportOf(end.metrics)}`;
    },
  });
  const { node: nodeCores, own } = coresOf(result);
  const refused = Object.entries(result.refusals).map(([reason, count]) => `, ${count} ${reason}`);
  print(
    `  ${rate} per second: ${faultOf(result, BOUND) ?? 'holds'}; cores: node ${nodeCores.toFixed(2)}, clients ${own.toFixed(2)}${refused.join('')}`,
  );
  print(`    p50 ${result.latencies.final?.p50 ?? '-'} ms; ${report}`);
  return result;
}

type Reading = Awaited<ReturnType<typeof readingOf>>;

async function readingOf(node: WatchedNode) {
  const threads = await readThreads(node.pid ?? 0);
  const atMs = performance.now();
  return { threads, atMs, metrics: parseMetrics(await readMetrics(node)) };
}

function costsBetween(begin: Reading, end: Reading): string {
  const transactions = (end.metrics.get(COMMITTED) ?? 0) - (begin.metrics.get(COMMITTED) ?? 0);
  const window = { transactions, seconds: (end.atMs - begin.atMs) / 1_000 };
  return threadCostsText(threadCosts(begin.threads, end.threads, window));
}

function reportOf(metrics: Reading['metrics']): string {
  return Object.entries(REPORTED)
    .map(([what, name]) => `${what} ${Math.round(metrics.get(`slipstream_${name}`) ?? 0)}`)
    .join(', ');
}

/** Means while the load was sent. */
function coresOf({ samples }: RunResult): { readonly node: number; readonly own: number } {
  const [first, last] = [samples[0], samples.at(-1)];
  const seconds = (last?.seconds ?? 0) - (first?.seconds ?? 0);
  if (first === undefined || last === undefined || seconds <= 0) return { node: 0, own: 0 };
  const names = last.nodes.map(({ node }) => node);
  return {
    node: names.reduce((sum, name) => sum + usedCpu(name, last, first), 0) / seconds,
    own: (last.ownCpuSeconds - first.ownCpuSeconds) / seconds,
  };
}

function transactionsClaims(run: RunResult, us: VerificationTimes): Claim[] {
  const { counts, latencies, finalPerSecond } = run;
  const cores = availableParallelism();
  const { node, own } = coresOf(run);
  const shareOf = (verificationUs: number) => (finalPerSecond * verificationUs) / ((cores - own) * 1e6);
  const of = (name: string, value: number, unit: string) => claim(name, value, unit, counts.final);
  return [
    of('tps', finalPerSecond, '1/s'),
    of('share_of_limit', shareOf(us.alone), 'ratio'),
    of('share_of_busy_limit', shareOf(us.busy), 'ratio'),
    of('share_of_cores', (finalPerSecond * us.alone) / 1e6 / cores, 'ratio'),
    of('node_cores', node, 'cores'),
    of('clients_cores', own, 'cores'),
    of('verification_us', us.alone, 'us'),
    of('verification_busy_us', us.busy, 'us'),
    of('finality_p50_ms', latencies.final?.p50 ?? -1, 'ms'),
    of('finality_p99_ms', latencies.final?.p99 ?? -1, 'ms'),
    of('lost', counts.lost + counts.pending + (run.audit?.faults.missing.length ?? 0), 'count'),
  ];
}
