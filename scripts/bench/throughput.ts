/**
 * The `throughput` bench: 4 validators, 1 full node and the load generator on this machine; all five nodes verify every Ed25519 signature.
 *
 *   one verification (processor time) --> the limit: cores / (5 x one verification)
 *   network --> knee: short steps --> warm: a minute below it --> the highest rate, held for a minute --> with transactions of 1,000 bytes
 *               (plain ones have 236)
 *   another --> share of that rate with a million accounts in the state, and among ten million that send
 *
 * A rate holds when its p99 of finality, from the intended send time, is under 2 s and the chain has each accepted transaction final
 * exactly once. At most one in a hundred may be refused temporarily; the rate counts final ones. With SETTINGS blocks come later under
 * little load, and each offline leader costs a second.
 */

import { availableParallelism } from 'node:os';
import {
  blocksOf,
  createHistogram,
  createSeededRandom,
  createSignerPool,
  faultOf,
  findKnee,
  prepareChain,
  progressLine,
  type RunComponents,
  type RunResult,
  readThreads,
  resultText,
  runSteady,
  startOwnNetwork,
  type TargetNetwork,
  type ThreadUse,
  usedCpu,
  usedSince,
  type Workload,
  warmUp,
} from '@slipstream/app-loadgen';
import { ed25519PublicKey, ed25519Sign, ed25519Verify } from '@slipstream/crypto/native';
import { flagName } from '@slipstream/node-home';
import { print } from '../print.ts';
import type { BenchOptions, Claim } from './claim.ts';

const VALIDATORS = 4;
const FULL_NODES = 1;
const VERIFIERS = VALIDATORS + FULL_NODES;
const BOUND = { finalityP99Ms: 2_000, refusedShareMax: 0.01 };
const SEED = 'throughput';
const LARGE_BYTES = 1_000;
const SETTINGS: Readonly<Record<string, number>> = {
  'consensus.minBlockIntervalMs': 300,
  'consensus.leaderTimeoutMs': 1_000,
  'consensus.viewTimeoutMs': 2_000,
};

interface Effort {
  readonly accounts: number;
  readonly from: number;
  readonly ceiling: number;
  readonly stepSeconds: number;
  readonly steps: number;
  readonly seconds: number;
  readonly verifications: number;
  /** From genesis of the second network. */
  readonly manyAccounts: number;
  /** Too many to generate: senders are paid first. */
  readonly mostAccounts: number;
}

const FULL: Effort = {
  accounts: 10_000,
  from: 800,
  ceiling: 8_000,
  stepSeconds: 8,
  steps: 10,
  seconds: 60,
  verifications: 4_000,
  manyAccounts: 1_000_000,
  mostAccounts: 10_000_000,
};
/** Proves that the bench runs, with a second network too. */
const SMOKE: Effort = {
  accounts: 1_000,
  from: 50,
  ceiling: 50,
  stepSeconds: 2,
  steps: 1,
  seconds: 4,
  verifications: 500,
  manyAccounts: 2_000,
  mostAccounts: 4_000,
};

export async function run({ smoke }: BenchOptions): Promise<Claim[]> {
  const effort = smoke ? SMOKE : FULL;
  const before = verificationUs(effort.verifications);
  const [found, large] = await onNetwork(effort.accounts, async (network) => {
    const highest = await press(network, { accounts: effort.accounts }, (pressed) =>
      findHighest(pressed, effort, smoke),
    );
    const workload = { accounts: effort.accounts, transactionBytes: LARGE_BYTES };
    const warmed = { ...effort, warmSeconds: effort.stepSeconds };
    return [highest, await holdBelow(network, workload, warmed, highest.run, smoke)] as const;
  });
  const [many, most] = await onNetwork(effort.manyAccounts, async (network) => {
    const hold = (accounts: number, warmSeconds: number) =>
      holdBelow(network, { accounts }, { ...effort, warmSeconds }, found.run, smoke);
    const ofMany = await hold(effort.manyAccounts, effort.seconds);
    return [ofMany, await hold(effort.mostAccounts, effort.stepSeconds)] as const;
  });
  const us = Math.min(before, verificationUs(effort.verifications));
  const limit = availableParallelism() / ((VERIFIERS * us) / 1e6);
  print(`one verification ${us.toFixed(1)} us of processor: at most ${limit.toFixed(0)} a second on this machine`);
  print(resultText(found.run));
  print(threadTable(found.threads));
  return claimsOf(found, { large, many, most }, limit, us);
}

function verificationUs(rounds: number): number {
  const secret = new Uint8Array(32).fill(1);
  const publicKey = ed25519PublicKey(secret);
  const messages = Array.from({ length: 64 }, (_, index) => new Uint8Array(32).fill(index));
  const signatures = messages.map((message) => ed25519Sign(message, secret));
  const start = process.cpuUsage();
  for (let round = 0; round < rounds; round++) {
    const at = round % messages.length;
    const valid = ed25519Verify(publicKey, messages[at] as Uint8Array, signatures[at] as Uint8Array);
    if (!valid) throw new Error('a good signature was refused');
  }
  const { user, system } = process.cpuUsage(start);
  return (user + system) / rounds;
}

interface Pressed {
  readonly components: RunComponents;
  readonly network: TargetNetwork;
}

async function onNetwork<T>(accounts: number, use: (network: TargetNetwork) => Promise<T>): Promise<T> {
  const say = (text: string) => print(`  ${text}`);
  const flags = Object.entries(SETTINGS).flatMap(([key, value]) => [`--${flagName(key)}`, String(value)]);
  say(`settings: ${flags.join(' ')}`);
  const network = await startOwnNetwork({ validators: VALIDATORS, fullNodes: FULL_NODES, accounts, flags, say });
  try {
    return await use(network);
  } finally {
    await network.close();
  }
}

type Load = Pick<Workload, 'accounts'> & Partial<Workload>;

async function press<T>(network: TargetNetwork, load: Load, use: (pressed: Pressed) => Promise<T>): Promise<T> {
  const say = (text: string) => print(`  ${text}`);
  const workload: Workload = { seed: SEED, transactionBytes: 0, ...load };
  const chain = await prepareChain(network.nodes, workload);
  const pool = createSignerPool(chain.task, availableParallelism());
  try {
    const { unit } = createSeededRandom(`${SEED}/nodes`);
    const components = { chain, pool, nodes: network.nodes, say, unit, wallMs: Date.now };
    return await use({ components, network });
  } finally {
    await pool.close();
  }
}

interface Found {
  readonly run: RunResult;
  /** Of the highest tried rate; undefined: it held. */
  readonly fault: string | undefined;
  readonly certifiedP50Ms: number;
  readonly threads: ReadonlyMap<string, readonly ThreadUse[]>;
}

/** Of the knee. A minute shows backlogs that short steps hide. */
const FIRST_SHARE = 0.95;
/** Tried when the first does not hold. */
const SHARES_BELOW = [0.9, 0.85, 0.8, 0.7, 0.6];
/** Tried when the first holds: the search ran while V8 compiled. */
const SHARES_ABOVE = [1, 1.05, 1.1, 1.15, 1.2];
/** Of the knee, between minutes, as after an overload. */
const REST_SHARE = 0.5;
/** Of the knee, before the minutes: V8 compiles for about a minute. */
const WARM_SHARE = 0.8;

async function findHighest(pressed: Pressed, effort: Effort, smoke: boolean): Promise<Found> {
  let firstBlock = await warmUp(pressed.components, effort.from);
  const measure = async (transactionsPerSecond: number, seconds: number) => {
    print(`  ${transactionsPerSecond} a second for ${seconds} s`);
    const result = await measured(pressed, transactionsPerSecond, seconds, firstBlock);
    firstBlock += blocksOf(transactionsPerSecond * seconds);
    const fault = faultOf(result.run, BOUND);
    print(`    ${fault ?? 'holds'}`);
    return { ...result, fault };
  };
  // After an overload clients' windows are small, and would refuse the next load.
  let rest = effort.from;
  const step = async (rate: number) => {
    const { fault } = await measure(rate, effort.stepSeconds);
    if (fault === undefined) rest = rate;
    else await measure(rest, effort.stepSeconds);
    return fault;
  };
  const knee = await findKnee(step, {
    from: effort.from,
    ceiling: effort.ceiling,
    precision: 0.08,
    stepsMax: effort.steps,
  });
  const best = knee.transactionsPerSecond === 0 ? effort.from : knee.transactionsPerSecond;
  await measure(Math.round(best * WARM_SHARE), effort.seconds);
  const minute = (share: number) => measure(Math.round(best * share), effort.seconds);
  const recover = () => measure(Math.round(best * REST_SHARE), effort.stepSeconds);
  if (smoke) return minute(1);
  const first = await minute(FIRST_SHARE);
  return first.fault === undefined ? lastThatHolds(first, minute) : firstThatHolds(first, minute, recover);
}

type Minute = (share: number) => Promise<Found>;

async function lastThatHolds(first: Found, minute: Minute): Promise<Found> {
  let found = first;
  for (const share of SHARES_ABOVE) {
    const next = await minute(share);
    if (next.fault !== undefined) break;
    found = next;
  }
  return found;
}

/** The first that holds, or the last. */
async function firstThatHolds(first: Found, minute: Minute, recover: () => Promise<unknown>): Promise<Found> {
  let found = first;
  for (const share of SHARES_BELOW) {
    await recover();
    found = await minute(share);
    if (found.fault === undefined) break;
  }
  return found;
}

const SHARES = [1, 0.9, 0.75, 0.6, 0.45];

/** With another load; lower when it does not hold, 0: none holds. */
async function holdBelow(
  network: TargetNetwork,
  load: Load,
  { stepSeconds, warmSeconds }: Pick<Effort, 'stepSeconds'> & { readonly warmSeconds: number },
  { transactionsPerSecond }: RunResult,
  smoke: boolean,
): Promise<number> {
  return press(network, load, async (pressed) => {
    let firstBlock = await warmUp(pressed.components, transactionsPerSecond);
    const { run: warming } = await measured(pressed, Math.ceil(transactionsPerSecond / 2), warmSeconds, firstBlock);
    firstBlock += warming.blocks;
    for (const share of smoke ? [1] : SHARES) {
      const rate = Math.max(1, Math.round(transactionsPerSecond * share));
      const { run } = await measured(pressed, rate, 2 * stepSeconds, firstBlock);
      firstBlock += run.blocks;
      const fault = faultOf(run, BOUND);
      print(`  ${JSON.stringify(load)}, ${rate} a second: ${fault ?? 'holds'}`);
      if (fault === undefined) return run.finalPerSecond;
    }
    return 0;
  });
}

async function measured({ components, network }: Pressed, rate: number, seconds: number, firstBlock: number) {
  const { nodes } = network;
  const certified = createHistogram();
  const stream = nodes.at(-1)?.client.events({
    topics: ['dissemination'],
    onEvent: ({ event }) => {
      if (event.type === 'chunk.certified') certified.add(event.data.sinceCreatedMs);
    },
  });
  const threadsBefore = new Map<string, readonly ThreadUse[]>();
  const threads = new Map<string, readonly ThreadUse[]>();
  const run = await runSteady(components, {
    transactionsPerSecond: rate,
    seconds,
    firstBlock,
    audits: true,
    readsNodes: true,
    onSample: (sample, before) => print(`  ${progressLine(sample, before)}`),
    during: async (sent) => {
      for (const { name, pid } of nodes) if (pid !== undefined) threadsBefore.set(name, await readThreads(pid));
      await new Promise((resolve) => sent.addEventListener('abort', resolve, { once: true }));
      for (const { name, pid } of nodes) {
        if (pid !== undefined) threads.set(name, usedSince(threadsBefore.get(name) ?? [], await readThreads(pid)));
      }
    },
  });
  stream?.close();
  return { run, threads, certifiedP50Ms: certified.quantileMs(0.5) };
}

/** Of all nodes. */
function nodesCpuSeconds({ samples }: RunResult, names: readonly string[]): number {
  const [first, last] = [samples[0], samples.at(-1)];
  return last === undefined ? 0 : names.reduce((sum, name) => sum + usedCpu(name, last, first), 0);
}

/** Most bytes of a validator over the mean. */
function imbalance({ samples }: RunResult): number {
  const [first, last] = [samples[0], samples.at(-1)];
  const bytes = (last?.nodes ?? [])
    .filter(({ node }) => node.startsWith('validator'))
    .map(
      ({ node, networkBytes = 0 }) =>
        networkBytes - (first?.nodes.find((each) => each.node === node)?.networkBytes ?? 0),
    );
  const mean = bytes.reduce((sum, each) => sum + each, 0) / Math.max(1, bytes.length);
  return mean === 0 ? 1 : Math.max(...bytes) / mean;
}

interface Others {
  readonly large: number;
  readonly many: number;
  readonly most: number;
}

function claimsOf({ run, certifiedP50Ms, threads }: Found, others: Others, limit: number, us: number): Claim[] {
  const { counts, latencies, finalPerSecond, samples } = run;
  const names = [...threads.keys()];
  const verified = ((samples.at(-1)?.counts.final ?? 0) - (samples[0]?.counts.final ?? 0)) * VERIFIERS;
  const claim = (name: string, value: number, unit: string, count = counts.final): Claim => ({
    name,
    unit,
    samples: count,
    value: Math.round(value * 1_000) / 1_000,
  });
  return [
    claim('tps', finalPerSecond, '1/s'),
    claim('limit_tps', limit, '1/s'),
    claim('share_of_limit', finalPerSecond / limit, 'ratio'),
    claim('finality_p50_ms', latencies.final?.p50 ?? -1, 'ms'),
    claim('finality_p99_ms', latencies.final?.p99 ?? -1, 'ms'),
    claim('refused_share', counts.refused / Math.max(1, counts.sent), 'ratio', counts.sent),
    claim('lost', counts.lost + counts.pending + (run.audit?.faults.missing.length ?? 0), 'count'),
    claim('expired', counts.expired, 'count'),
    claim('verification_cpu_share', (verified * us) / 1e6 / Math.max(0.001, nodesCpuSeconds(run, names)), 'ratio'),
    claim('tps_1000_bytes', others.large, '1/s'),
    claim('tps_1m_accounts', others.many, '1/s'),
    claim('tps_10m_accounts', others.most, '1/s'),
    claim('certified_p50_ms', certifiedP50Ms, 'ms'),
    claim('attested_p50_ms', latencies.attested?.p50 ?? -1, 'ms', counts.attested),
    claim('bandwidth_imbalance', imbalance(run), 'ratio'),
  ];
}

function threadTable(threads: ReadonlyMap<string, readonly ThreadUse[]>): string {
  const rows = new Map<string, number>();
  for (const [node, uses] of threads) {
    const role = node.startsWith('validator') ? 'validators' : 'full node';
    for (const { name, cpuSeconds } of uses) {
      const key = `${role}, ${name.replace(/-[0-9]+$/, '')}`;
      rows.set(key, (rows.get(key) ?? 0) + cpuSeconds);
    }
  }
  const total = [...rows.values()].reduce((sum, each) => sum + each, 0);
  return [
    `processor seconds by thread, ${total.toFixed(1)} in all:`,
    ...[...rows]
      .filter(([, seconds]) => seconds > 0)
      .toSorted(([, a], [, b]) => b - a)
      .map(
        ([name, seconds]) =>
          `  ${name.padEnd(36)} ${seconds.toFixed(2).padStart(8)} ${((100 * seconds) / total).toFixed(1).padStart(5)} %`,
      ),
  ].join('\n');
}
