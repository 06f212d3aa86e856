import { expect, it } from 'vitest';
import { costsText, fitCosts, type Window } from '../../scripts/bench/costs/model.ts';
import { parseTurns, turnsBetween } from '../../scripts/bench/costs/turns.ts';
import { meanNode, PROFILED_NODE, threadOf } from '../../scripts/bench/costs/use.ts';

const windows: readonly Window[] = [3.3, 1.2].flatMap((blocksPerSecond) =>
  [100, 700, 1_300].map((transactionsPerSecond) => ({ blocksPerSecond, transactionsPerSecond })),
);
const priced = (noise: (window: number) => number) =>
  windows.map((window, at) => 60 + 28 * window.blocksPerSecond + 0.084 * window.transactionsPerSecond + noise(at));

it('finds what a second, a block and a transaction cost', () => {
  const fit = fitCosts(
    windows,
    priced(() => 0),
  );
  expect(fit?.secondMs).toBeCloseTo(60, 6);
  expect(fit?.blockMs).toBeCloseTo(28, 6);
  expect(fit?.transactionUs).toBeCloseTo(84, 6);
  expect(fit?.errors.blockMs).toBeCloseTo(0, 6);
});

it('gives standard errors that cover the noise', () => {
  const fit = fitCosts(
    windows,
    priced((at) => (at % 2 === 0 ? 3 : -3)),
  );
  expect(Math.abs((fit?.blockMs ?? 0) - 28)).toBeLessThan(3 * (fit?.errors.blockMs ?? 0));
  expect(fit?.errors.blockMs).toBeGreaterThan(0);
});

it('adds up over threads', () => {
  const threads = [priced((at) => at), priced((at) => 2 - at ** 2)];
  const fits = threads.map((thread) => fitCosts(windows, thread));
  const all = fitCosts(
    windows,
    windows.map((_, at) => threads.reduce((sum, thread) => sum + (thread[at] ?? 0), 0)),
  );
  expect((fits[0]?.blockMs ?? 0) + (fits[1]?.blockMs ?? 0)).toBeCloseTo(all?.blockMs ?? 0, 6);
});

it('does not separate what came at one rate', () => {
  const alike = windows.map((window) => ({ ...window, blocksPerSecond: 3 }));
  expect(
    fitCosts(
      alike,
      priced(() => 0),
    ),
  ).toBeUndefined();
  expect(fitCosts(windows.slice(0, 2), [1, 2])).toBeUndefined();
  expect(costsText(alike, [])).toContain('not fitted');
});

it('groups threads by what they do', () => {
  expect(['verifier-0', 'V8Worker', 'libuv-worker', 'executor'].map(threadOf)).toEqual([
    'verifier',
    'V8',
    'disk',
    'executor',
  ]);
});

it('reads turns by thread and kind, and their increase a second', () => {
  const text = (count: number, ms: number) =>
    [
      `slipstream_node_turns_total{thread="main",kind="frame in: chunk"} ${count}`,
      `slipstream_node_turn_processor_ms_total{thread="main",kind="frame in: chunk"} ${ms}`,
      'slipstream_node_turns_total{thread="api",kind="frame in: chunk"} 9',
    ].join('\n');
  const turns = turnsBetween(parseTurns(text(4, 1)), parseTurns(text(10, 2.5)), 3);
  expect([...turns]).toEqual([
    ['main\tframe in: chunk', { count: 2, ms: 0.5 }],
    ['api\tframe in: chunk', { count: 0, ms: 0 }],
  ]);
});

it('takes a node of the shape for the mean of its validators and its full node', () => {
  const of = (main: number) => new Map([['main', main]]);
  const nodes = new Map([
    ['validator-0', of(10)],
    ['validator-1', of(20)],
    [PROFILED_NODE, of(1_000)],
    ['full-node-0', of(40)],
  ]);
  expect([...meanNode({ nodes }, 4)]).toEqual([['main', 20]]);
});
