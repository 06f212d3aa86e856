/** What the nodes of a network used in a window, by node and thread. */
import { parseMetrics, readThreads, type ThreadUse, type WatchedNode } from '@slipstream/app-loadgen';
import type { Window } from './model.ts';

export interface Reading {
  readonly atMs: number;
  /** Processor time of this program so far. */
  readonly ownMs: number;
  readonly nodes: readonly NodeUse[];
}

interface NodeUse {
  readonly node: string;
  readonly threads: readonly ThreadUse[];
  readonly metrics: ReadonlyMap<string, number>;
}

export interface WindowUse extends Window {
  readonly ownMsPerSecond: number;
  /** ms a second, by node, then by thread (threadOf). */
  readonly nodes: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** Increase a second of each metric of a node. */
  readonly increases: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

const BLOCKS = 'slipstream_pipeline_committed_height';
const TRANSACTIONS = 'slipstream_ledger_committed_transactions_total';

/** Threads of Node and V8, as the kernel names them. One that a library starts has the name of the thread that started it. */
const THREADS: readonly (readonly [begins: string, thread: string])[] = [
  ['V8Worker', 'V8'],
  ['node-V8Worker', 'V8'],
  ['DelayedTaskSche', 'V8'],
  ['libuv-worker', 'disk'],
  ['verifier', 'verifier'],
  ['MainThread', 'LevelDB of the main thread'],
];

export function threadOf(name: string): string {
  return THREADS.find(([begins]) => name.startsWith(begins))?.[1] ?? name;
}

export async function readUse(nodes: readonly WatchedNode[], when: 'begin' | 'end'): Promise<Reading> {
  // The answers with the metrics cost the nodes some work, which belongs to no window.
  const early = when === 'begin' ? await readMetrics(nodes) : undefined;
  const threads = await Promise.all(nodes.map(({ pid }) => readThreads(pid ?? 0)));
  const [atMs, { user, system }] = [performance.now(), process.cpuUsage()];
  const metrics = early ?? (await readMetrics(nodes));
  return {
    atMs,
    ownMs: (user + system) / 1_000,
    nodes: nodes.map(({ name }, at) => ({
      node: name,
      threads: threads[at] ?? [],
      metrics: metrics[at] ?? new Map(),
    })),
  };
}

async function readMetrics(nodes: readonly WatchedNode[]): Promise<readonly ReadonlyMap<string, number>[]> {
  return Promise.all(
    nodes.map(async ({ client }) => parseMetrics(await (await fetch(`${client.url}/metrics`)).text())),
  );
}

export function useBetween(before: Reading, after: Reading): WindowUse {
  const seconds = (after.atMs - before.atMs) / 1_000;
  const pairs = after.nodes.map((now, at) => [now, before.nodes[at] as NodeUse] as const);
  const increases = new Map(pairs.map(([now, then]) => [now.node, increasesOf(then.metrics, now.metrics, seconds)]));
  const mean = (metric: string) =>
    [...increases.values()].reduce((sum, of) => sum + (of.get(metric) ?? 0), 0) / increases.size;
  return {
    blocksPerSecond: mean(BLOCKS),
    transactionsPerSecond: mean(TRANSACTIONS),
    ownMsPerSecond: (after.ownMs - before.ownMs) / seconds,
    nodes: new Map(pairs.map(([now, then]) => [now.node, threadsBetween(then.threads, now.threads, seconds)])),
    increases,
  };
}

function increasesOf(then: ReadonlyMap<string, number>, now: ReadonlyMap<string, number>, seconds: number) {
  return new Map([...now].map(([name, value]) => [name, (value - (then.get(name) ?? 0)) / seconds]));
}

function threadsBetween(then: readonly ThreadUse[], now: readonly ThreadUse[], seconds: number) {
  const used = new Map<string, number>();
  const add = ({ name, cpuSeconds }: ThreadUse, sign: number) => {
    const thread = threadOf(name);
    used.set(thread, (used.get(thread) ?? 0) + (sign * cpuSeconds * 1_000) / seconds);
  };
  for (const each of now) add(each, 1);
  for (const each of then) add(each, -1);
  return used;
}
