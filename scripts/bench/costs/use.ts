/** What the nodes of a network used in a window, by node and thread. */
import { parseMetrics, readThreads, type ThreadUse, type WatchedNode } from '@slipstream/app-loadgen';
import { readMetrics } from '../load/network.ts';
import type { Window } from './model.ts';
import { parseTurns, type Turns, turnsBetween } from './turns.ts';

export interface Reading {
  readonly atMs: number;
  /** Processor time of this program so far. */
  readonly ownMs: number;
  readonly nodes: readonly NodeUse[];
}

interface NodeUse {
  readonly node: string;
  readonly threads: readonly ThreadUse[];
  readonly metrics: string;
}

export interface WindowUse extends Window {
  readonly ownMsPerSecond: number;
  /** ms per second, by node, then by thread (threadOf). */
  readonly nodes: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** A second, of the node with a profile. */
  readonly turns: Turns;
}

/** Its threads name their turns, which costs a little: no figure but that of the turns is of it. */
export const PROFILED_NODE = 'validator-3';

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
  const early = when === 'begin' ? await Promise.all(nodes.map(readMetrics)) : undefined;
  const threads = await Promise.all(nodes.map(({ pid }) => readThreads(pid ?? 0)));
  const [atMs, { user, system }] = [performance.now(), process.cpuUsage()];
  const metrics = early ?? (await Promise.all(nodes.map(readMetrics)));
  return {
    atMs,
    ownMs: (user + system) / 1_000,
    nodes: nodes.map(({ name }, at) => ({
      node: name,
      threads: threads[at] ?? [],
      metrics: metrics[at] ?? '',
    })),
  };
}

export function useBetween(before: Reading, after: Reading): WindowUse {
  const seconds = (after.atMs - before.atMs) / 1_000;
  const pairs = after.nodes.map((now, at) => [now, before.nodes[at] as NodeUse] as const);
  const mean = (metric: string) =>
    pairs.reduce((sum, [now, then]) => sum + increaseOf(metric, then, now), 0) / pairs.length / seconds;
  const profiled = pairs.filter(([now]) => now.node === PROFILED_NODE);
  return {
    blocksPerSecond: mean(BLOCKS),
    transactionsPerSecond: mean(TRANSACTIONS),
    ownMsPerSecond: (after.ownMs - before.ownMs) / seconds,
    nodes: new Map(pairs.map(([now, then]) => [now.node, threadsBetween(then.threads, now.threads, seconds)])),
    turns: new Map(
      profiled.flatMap(([now, then]) => [...turnsBetween(parseTurns(then.metrics), parseTurns(now.metrics), seconds)]),
    ),
  };
}

function increaseOf(metric: string, then: NodeUse, now: NodeUse): number {
  return (parseMetrics(now.metrics).get(metric) ?? 0) - (parseMetrics(then.metrics).get(metric) ?? 0);
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

/** Of a node of the shape, the mean over all: ms per second, by thread. */
export function meanNode({ nodes }: Pick<WindowUse, 'nodes'>, validators: number): ReadonlyMap<string, number> {
  const [ofValidator, ofFullNode] = [meanOf(nodes, true), meanOf(nodes, false)];
  const all = new Set([...ofValidator.keys(), ...ofFullNode.keys()]);
  const mean = (thread: string) =>
    (validators * (ofValidator.get(thread) ?? 0) + (ofFullNode.get(thread) ?? 0)) / (validators + 1);
  return new Map([...all].map((thread) => [thread, mean(thread)]));
}

/** Of the validators, or of the others, without the profiled node. */
export function meanOf(nodes: WindowUse['nodes'], isValidator: boolean): ReadonlyMap<string, number> {
  const chosen = [...nodes].filter(([name]) => name !== PROFILED_NODE && name.startsWith('validator') === isValidator);
  const threads = new Set(chosen.flatMap(([, of]) => [...of.keys()]));
  const mean = (thread: string) => chosen.reduce((sum, [, of]) => sum + (of.get(thread) ?? 0), 0) / chosen.length;
  return new Map([...threads].map((thread) => [thread, mean(thread)]));
}
