/**
 * The `costs` bench: processor time of a node on the shape of `throughput` (four validators, a full node, the generator), as a model of
 * costs/model.ts, for the node and each of its threads.
 *
 *   verification time --> a network with one block interval --> rounds of loads --> windows
 *                         a network with another            --> rounds of loads --> windows --> K, F, c
 *
 * One validator names the turns of its threads (development.profileTurns), and counts for no other figure.
 *
 * K, F and c are means over the nodes, as measured. Those named `_scaled` are for a machine that verifies a signature in
 * REFERENCE_VERIFICATION_US; the goals are for these.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { blocksOf, runSteady, type TargetNetwork, warmUp } from '@slipstream/app-loadgen';
import { print } from '../print.ts';
import { type BenchOptions, type Claim, claim, printTable } from './claim.ts';
import { type Costs, costsText, type Fit, fitCosts, weightOf } from './costs/model.ts';
import { printTurns } from './costs/turns.ts';
import { meanNode, meanOf, PROFILED_NODE, readUse, useBetween, type WindowUse } from './costs/use.ts';
import { onNetwork, type Pressed, press } from './load/network.ts';
import { REFERENCE_VERIFICATION_US, verificationUs } from './load/verification.ts';

const VALIDATORS = 4;
const FULL_NODES = 1;
const CORES = 2;
const SEED = 'costs';
const ACCOUNTS = 10_000;
/** Far apart, so that a block's cost separates from a second's. */
const BLOCK_INTERVALS_MS = [300, 800];
/** Above the block intervals: no view fails, on a busy machine either. */
const TIMEOUTS = { 'consensus.leaderTimeoutMs': 2_500, 'consensus.viewTimeoutMs': 5_000 };

interface Effort {
  /** Offered, as shares of what verification alone allows on two cores. */
  readonly shares: readonly number[];
  readonly rounds: number;
  /** V8 compiles for about a minute. */
  readonly warmSeconds: number;
  readonly settleSeconds: number;
  readonly seconds: number;
  readonly verifications: number;
}

/** The most is about half of what the shape carries: above it a node's threads share their wake-ups. */
const FULL: Effort = {
  shares: [0.02, 0.1, 0.18, 0.06, 0.14],
  rounds: 3,
  warmSeconds: 60,
  settleSeconds: 2,
  seconds: 10,
  verifications: 4_000,
};
const SMOKE: Effort = {
  shares: [0.005, 0.02],
  rounds: 1,
  warmSeconds: 0,
  settleSeconds: 0.5,
  seconds: 2,
  verifications: 500,
};

export async function run({ smoke, draw }: BenchOptions): Promise<Claim[]> {
  const effort = smoke ? SMOKE : FULL;
  const before = verificationUs(effort.verifications);
  const limit = (CORES * 1e6) / ((VALIDATORS + FULL_NODES) * before);
  const windows: WindowUse[] = [];
  for (const intervalMs of BLOCK_INTERVALS_MS) {
    const settings = { 'consensus.minBlockIntervalMs': intervalMs, ...TIMEOUTS };
    const flagsOf = (node: string) => (node === PROFILED_NODE ? ['--development-profile-turns', 'true'] : []);
    const shape = { validators: VALIDATORS, fullNodes: FULL_NODES, accounts: ACCOUNTS, flagsOf };
    windows.push(...(await onNetwork(shape, settings, (network) => measureLoads(network, limit, effort))));
  }
  const us = Math.min(before, verificationUs(effort.verifications));
  const totals = windows.map((window) => totalOf(meanNode(window, VALIDATORS)));
  const fit = fitCosts(windows, totals);
  if (fit === undefined)
    throw new Error('the blocks came too evenly for a fit: is the machine busy with something else?');
  printWindows(windows, totals);
  const threads = threadFits(windows);
  printFits('thread (mean of the nodes)', [...threads, ['all', fit]]);
  printFits('role', roleFits(windows));
  printTurns(
    windows,
    windows.map(({ turns }) => turns),
  );
  print(`${costsText(windows, totals)}; one verification ${us.toFixed(1)} us`);
  drawThreads(threads, draw);
  return claimsOf(fit, windows, us);
}

async function measureLoads(network: TargetNetwork, limit: number, effort: Effort): Promise<WindowUse[]> {
  return press(network, { seed: SEED, accounts: ACCOUNTS }, async (pressed) => {
    const rates = effort.shares.map((share) => Math.round(share * limit));
    let firstBlock = effort.warmSeconds > 0 ? await warmUp(pressed.components, Math.max(...rates)) : 0;
    const take = async (rate: number, seconds: number) => {
      const found = await measure(pressed, rate, seconds, effort.settleSeconds, firstBlock);
      firstBlock += found.blocks;
      return found.windows;
    };
    if (effort.warmSeconds > 0) await take(Math.max(...rates), effort.warmSeconds);
    const windows: WindowUse[] = [];
    for (let round = 0; round < effort.rounds; round++) {
      for (const rate of rates) windows.push(...(await take(rate, effort.seconds)));
    }
    return windows;
  });
}

async function measure(
  { components, network }: Pressed,
  rate: number,
  seconds: number,
  settleSeconds: number,
  firstBlock: number,
) {
  const windows: WindowUse[] = [];
  const run = await runSteady(components, {
    transactionsPerSecond: rate,
    seconds: seconds + 2 * settleSeconds,
    firstBlock,
    audits: false,
    readsNodes: false,
    during: async () => {
      await sleep(settleSeconds * 1_000);
      const before = await readUse(network.nodes, 'begin');
      await sleep(seconds * 1_000);
      windows.push(useBetween(before, await readUse(network.nodes, 'end')));
    },
  });
  const { lost, pending } = run.counts;
  if (lost + pending > 0) throw new Error(`${lost + pending} of ${run.counts.sent} transactions have no end`);
  return { windows, blocks: blocksOf(rate * (seconds + 2 * settleSeconds)) };
}

const totalOf = (threads: ReadonlyMap<string, number>) => [...threads.values()].reduce((sum, ms) => sum + ms, 0);

function threadFits(windows: readonly WindowUse[]): ReadonlyMap<string, Fit> {
  const threads = new Set(windows.flatMap((window) => [...meanNode(window, VALIDATORS).keys()]));
  const fits = [...threads].flatMap((thread) => {
    const fit = fitCosts(
      windows,
      windows.map((window) => meanNode(window, VALIDATORS).get(thread) ?? 0),
    );
    return fit === undefined ? [] : [[thread, fit] as const];
  });
  return new Map(fits.toSorted(([, a], [, b]) => weightOf(b) - weightOf(a)));
}

function printWindows(windows: readonly WindowUse[], totals: readonly number[]): void {
  printTable(
    'Windows: per second',
    ['blocks', 'transactions', 'a node, ms', 'the generator, ms'],
    windows.map(({ blocksPerSecond, transactionsPerSecond, ownMsPerSecond }, at) => [
      blocksPerSecond.toFixed(2),
      Math.round(transactionsPerSecond),
      Math.round(totals[at] ?? 0),
      Math.round(ownMsPerSecond),
    ]),
  );
}

type NamedFit = readonly [name: string, fit: Fit];

function roleFits(windows: readonly WindowUse[]): readonly NamedFit[] {
  const roles: Readonly<Record<string, (window: WindowUse) => ReadonlyMap<string, number>>> = {
    validator: ({ nodes }) => meanOf(nodes, true),
    'full node': ({ nodes }) => meanOf(nodes, false),
    'the profiled validator': ({ nodes }) => nodes.get(PROFILED_NODE) ?? new Map(),
  };
  return Object.entries(roles).flatMap(([role, of]) => {
    const fit = fitCosts(
      windows,
      windows.map((window) => totalOf(of(window))),
    );
    return fit === undefined ? [] : [[role, fit] as const];
  });
}

function printFits(by: string, fits: readonly NamedFit[]): void {
  const cell = (value: number, error: number) => `${value.toFixed(1)} +- ${error.toFixed(1)}`;
  printTable(
    `Processor time of a node by ${by}, +- standard error`,
    ['', 'K, ms per second', 'F, ms per block', 'c, us per transaction'],
    fits.map(([name, { secondMs, blockMs, transactionUs, errors }]) => [
      name,
      cell(secondMs, errors.secondMs),
      cell(blockMs, errors.blockMs),
      cell(transactionUs, errors.transactionUs),
    ]),
  );
}

function drawThreads(threads: ReadonlyMap<string, Fit>, draw: BenchOptions['draw']): void {
  const chart = (title: string, unit: string, of: (costs: Costs) => number) =>
    draw({
      title,
      about: 'Mean of the nodes, by thread.',
      unit,
      kind: 'bars',
      x: { name: 'thread', unit: '', values: [...threads.keys()] },
      lines: [{ name: 'processor time', values: [...threads.values()].map(of) }],
    });
  chart('A second without a block (K)', 'ms', ({ secondMs }) => secondMs);
  chart('A block without a transaction (F)', 'ms', ({ blockMs }) => blockMs);
  chart('A transaction (c)', 'us', ({ transactionUs }) => transactionUs);
}

function claimsOf(fit: Fit, windows: readonly WindowUse[], us: number): Claim[] {
  const { secondMs, blockMs, transactionUs } = fit;
  const scale = REFERENCE_VERIFICATION_US / us;
  const own = fitCosts(
    windows,
    windows.map(({ ownMsPerSecond }) => ownMsPerSecond),
  );
  const of = (name: string, value: number, unit: string) => claim(name, value, unit, windows.length);
  return [
    of('block_ms', blockMs, 'ms'),
    of('node_ms_per_second', secondMs, 'ms'),
    of('transaction_us', transactionUs, 'us'),
    of('verification_us', us, 'us'),
    of('block_ms_scaled', blockMs * scale, 'ms'),
    of('node_ms_per_second_scaled', secondMs * scale, 'ms'),
    of('transaction_us_scaled', transactionUs * scale, 'us'),
    of('generator_transaction_us', own?.transactionUs ?? Number.NaN, 'us'),
  ];
}
