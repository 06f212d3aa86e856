/**
 * The `submission` bench: what clients cost that submit batches over REST and learn the ends from events and blocks.
 *
 *   a chain of one validator --> each shape in turn, at one rate --> rounds of it
 *
 * The transactions are signed before. Processor time is per process and thread. Latencies count from the time at which a batch was due.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  blocksOf,
  createHistogram,
  createSignerPool,
  type Histogram,
  type PreparedChain,
  prepareChain,
  readThreads,
  type SignerPool,
  signRun,
  sourceOf,
  startOwnNetwork,
  type WatchedNode,
} from '@slipstream/app-loadgen';
import { print } from '../print.ts';
import { type BenchOptions, type Claim, claim, printTable } from './claim.ts';
import { type Answers, type BatchClient, openBatchClient } from './submission/client.ts';

interface Shape {
  readonly name: string;
  readonly batch: number;
  /** They send in turn. */
  readonly clients: number;
}

const SHAPES: readonly Shape[] = [
  { name: '500', batch: 500, clients: 1 },
  { name: '100', batch: 100, clients: 1 },
  { name: '100_of_4', batch: 100, clients: 4 },
];

const FULL = { transactionsPerSecond: 2_000, seconds: 6, rounds: 5, warmUpRounds: 1 };
const SMOKE = { transactionsPerSecond: 500, seconds: 1, rounds: 1, warmUpRounds: 0 };
type Effort = typeof FULL;

const API_THREAD = 'api';
const ACCOUNTS = 1_000;
const SIGNING_THREADS = 2;
const END_MS_MAX = 40_000;
const POLL_MS = 20;

/** Over the rounds. */
interface Measured {
  readonly accepted: Histogram;
  readonly ended: Histogram;
  refused: number;
  apiSeconds: number;
  nodeSeconds: number;
  clientSeconds: number;
}

interface Bench {
  readonly node: WatchedNode;
  readonly chain: PreparedChain;
  readonly pool: SignerPool;
  readonly effort: Effort;
  /** Blocks of the workload that earlier runs sent. */
  blocks: number;
}

export async function run({ smoke }: BenchOptions): Promise<Claim[]> {
  const effort = smoke ? SMOKE : FULL;
  const say = (text: string) => print(`  ${text}`);
  const network = await startOwnNetwork({ validators: 1, fullNodes: 0, accounts: ACCOUNTS, say });
  try {
    const chain = await prepareChain(network.nodes, { seed: 'submission', accounts: ACCOUNTS, transactionBytes: 0 });
    const pool = createSignerPool(chain.task, SIGNING_THREADS);
    try {
      const [node] = network.nodes as readonly [WatchedNode];
      const found = await measureAll({ node, chain, pool, effort, blocks: 0 });
      printFound(found);
      return claimsOf(found);
    } finally {
      await pool.close();
    }
  } finally {
    await network.close();
  }
}

type Found = ReadonlyMap<string, Measured>;

async function measureAll(bench: Bench): Promise<Found> {
  const { rounds, warmUpRounds } = bench.effort;
  const found = new Map(SHAPES.map(({ name }) => [name, nothing()]));
  for (let round = -warmUpRounds; round < rounds; round++) {
    for (const shape of SHAPES) {
      const into = round < 0 ? undefined : found.get(shape.name);
      await measure(bench, shape, into ?? nothing());
    }
  }
  return found;
}

const nothing = (): Measured => ({
  accepted: createHistogram(),
  ended: createHistogram(),
  refused: 0,
  apiSeconds: 0,
  nodeSeconds: 0,
  clientSeconds: 0,
});

async function measure(bench: Bench, { batch, clients }: Shape, into: Measured): Promise<void> {
  const { node, chain, pool, effort } = bench;
  const { transactionsPerSecond, seconds } = effort;
  const plan = { transactionsPerSecond, seconds, firstBlock: bench.blocks };
  const signed = await signRun({ chain, pool, say: () => {}, wallMs: Date.now }, plan);
  bench.blocks += blocksOf(transactionsPerSecond * seconds);
  const source = sourceOf(signed);
  const batches = Array.from({ length: (transactionsPerSecond * seconds) / batch }, () => source.take(batch) ?? []);
  const tracker = createTracker(into);
  const open = await Promise.all(Array.from({ length: clients }, () => openBatchClient(node.client, tracker.answers)));
  const before = await useOf(node);
  await sendAll(open, batches, (batch / transactionsPerSecond) * 1_000, tracker);
  await tracker.untilEnded();
  const after = await useOf(node);
  for (const each of open) each.close();
  into.apiSeconds += after.api - before.api;
  into.nodeSeconds += after.node - before.node;
  into.clientSeconds += after.client - before.client;
}

async function sendAll(
  clients: readonly BatchClient[],
  batches: readonly Parameters<BatchClient['send']>[0][],
  intervalMs: number,
  tracker: Tracker,
): Promise<void> {
  const startMs = performance.now();
  for (const [at, transfers] of batches.entries()) {
    const dueMs = startMs + at * intervalMs;
    const waitMs = dueMs - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    for (const { id } of transfers) tracker.due(id, dueMs);
    clients[at % clients.length]?.send(transfers);
  }
}

interface Tracker {
  readonly answers: Answers;
  due(id: string, atMs: number): void;
  untilEnded(): Promise<void>;
}

interface Waiting {
  readonly dueMs: number;
  isAccepted: boolean;
  isEnded: boolean;
}

function createTracker(into: Measured): Tracker {
  const open = new Map<string, Waiting>();
  let fault: unknown;

  /** A block may hold a transaction before the submission's answer has come. */
  function reach(id: string, stage: 'isAccepted' | 'isEnded', histogram: Histogram): void {
    const waiting = open.get(id);
    if (waiting === undefined) return;
    histogram.add(performance.now() - waiting.dueMs);
    waiting[stage] = true;
    if (waiting.isAccepted && waiting.isEnded) open.delete(id);
  }

  return {
    answers: {
      accepted: (id) => reach(id, 'isAccepted', into.accepted),
      refused(id) {
        into.refused += 1;
        open.delete(id);
      },
      ended: (id) => reach(id, 'isEnded', into.ended),
      failed(error) {
        fault ??= error;
      },
    },
    due: (id, dueMs) => void open.set(id, { dueMs, isAccepted: false, isEnded: false }),
    async untilEnded() {
      const deadlineMs = performance.now() + END_MS_MAX;
      while (open.size > 0) {
        if (fault !== undefined) throw fault;
        if (performance.now() > deadlineMs) throw new Error(`${open.size} transactions have no end`);
        await sleep(POLL_MS);
      }
    },
  };
}

/** Processor seconds so far. */
async function useOf({ pid = 0 }: WatchedNode) {
  const threads = await readThreads(pid);
  const { user, system } = process.cpuUsage();
  return {
    api: threads.find(({ name }) => name === API_THREAD)?.cpuSeconds ?? Number.NaN,
    node: threads.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
    client: (user + system) / 1e6,
  };
}

const SPENDERS = ['api', 'node', 'client'] as const;

const usOf = (measured: Measured, spender: (typeof SPENDERS)[number]) =>
  (measured[`${spender}Seconds`] * 1e6) / measured.ended.count;

function printFound(found: Found): void {
  printTable(
    'a transaction, processor time in us and latency in ms',
    ['batch', ...SPENDERS, 'accepted p50', 'p99', 'ended p50', 'p99', 'refused'],
    [...found].map(([shape, measured]) => {
      const { accepted, ended, refused } = measured;
      const latencies = [accepted, ended].flatMap((of) => [of.quantileMs(0.5), of.quantileMs(0.99)].map(Math.round));
      return [shape, ...SPENDERS.map((spender) => usOf(measured, spender)), ...latencies, refused];
    }),
  );
}

function claimsOf(found: Found): Claim[] {
  return [...found].flatMap(([shape, measured]) => {
    const { accepted, ended } = measured;
    const samples = ended.count;
    return [
      ...SPENDERS.map((spender) => claim(`${spender}_us_${shape}`, usOf(measured, spender), 'us', samples)),
      claim(`accepted_p50_ms_${shape}`, accepted.quantileMs(0.5), 'ms', samples),
      claim(`ended_p50_ms_${shape}`, ended.quantileMs(0.5), 'ms', samples),
      claim(`refused_${shape}`, measured.refused, 'count', samples),
    ];
  });
}
