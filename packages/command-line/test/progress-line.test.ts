import { expect, onTestFinished, test, vi } from 'vitest';
import { defineCommand } from '../src/command.ts';
import { createProgressLine, type Pulse, withProgressLine } from '../src/progress-line.ts';
import { capturedTerminal } from './captured-terminal.ts';

const WIPE = '\r\u001b[2K';

function manualPulse() {
  let nowMs = 0;
  const acts = new Set<() => void>();
  const pulse: Pulse = {
    nowMs: () => nowMs,
    every(_ms, act) {
      acts.add(act);
      return () => acts.delete(act);
    },
  };
  const block = (ms: number) => {
    nowMs += ms;
  };
  const advance = (ms: number) => {
    block(ms);
    for (const act of acts) act();
  };
  return { pulse, advance, block };
}

function start(interactive = true) {
  const { pulse, advance, block } = manualPulse();
  const captured = { ...capturedTerminal('/'), interactive };
  const line = createProgressLine('state verify', captured, pulse);
  return { line, advance, block, captured, terminal: withProgressLine(captured, line) };
}

test('a command that ends within a second shows no line', () => {
  const { advance, captured, terminal } = start();
  advance(900);
  terminal.out('done');
  expect(captured.drawn).toEqual([]);
});

test('it shows the elapsed time, and a share with the remaining time once it is known', () => {
  const { line, advance, captured } = start();
  advance(2_000);
  line.report(1, 4);
  advance(1_000);
  expect(captured.drawn).toEqual([
    `${WIPE}state verify: 2 s`,
    `${WIPE}state verify: [#####---------------] 25 %, 9 s left`,
  ]);
});

test('work that blocks the event loop is drawn at its reports', () => {
  const { line, block, captured } = start();
  block(1_500);
  line.report(1, 2);
  line.report(2, 2);
  expect(captured.drawn).toEqual([`${WIPE}state verify: [##########----------] 50 %, 2 s left`]);
});

test('the output of the command replaces it for good', () => {
  const { advance, captured, terminal } = start();
  advance(1_500);
  terminal.err('note');
  advance(1_500);
  expect(captured.drawn).toEqual([`${WIPE}state verify: 1 s`, WIPE]);
  expect(captured.errLines).toEqual(['note']);
});

test('a file or a pipe gets none', () => {
  const { advance, captured } = start(false);
  advance(5_000);
  expect(captured.drawn).toEqual([]);
});

test('a command that runs until it is stopped shows none after its start', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const captured = { ...capturedTerminal('/'), interactive: true };
  const stopped = Promise.withResolvers<0>();
  let isUnderWay = () => {};
  const serve = defineCommand({
    name: 'serve',
    summary: '',
    details: '',
    options: {},
    example: '',
    run({ underWay }) {
      isUnderWay = underWay;
      return stopped.promise;
    },
  });
  const served = serve.run({ options: new Map(), arguments: [], config: new Map() }, captured);
  vi.advanceTimersByTime(1_000);
  isUnderWay();
  vi.advanceTimersByTime(5_000);
  expect(captured.drawn).toEqual([`${WIPE}serve: 1 s`, WIPE]);
  stopped.resolve(0);
  expect(await served).toBe(0);
});
