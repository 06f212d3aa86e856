import { expect, test } from 'vitest';
import { startPoll } from '../src/node/poll.ts';
import { manualTimers } from './manual-timers.ts';

/** Queries end when `answer` is called. */
function world(everyMs?: number) {
  const timers = manualTimers();
  const running: (() => void)[] = [];
  let asked = 0;
  const poll = startPoll(
    () => {
      asked += 1;
      return new Promise((resolve) => running.push(resolve));
    },
    { everyMs, timers },
  );
  const answer = async () => {
    running.shift()?.();
    await Promise.resolve();
    await Promise.resolve();
  };
  return { timers, poll, answer, asked: () => asked, running: () => running.length };
}

test('asks at once, and again after the period', async () => {
  const { timers, answer, asked } = world(30_000);
  expect(asked()).toBe(1);
  timers.advance(60_000);
  expect(asked()).toBe(1);
  await answer();
  timers.advance(30_000);
  expect(asked()).toBe(2);
});

test('a group of requests is one query, soon', async () => {
  const { timers, poll, answer, asked } = world(30_000);
  await answer();
  for (let i = 0; i < 20; i++) poll.refresh();
  timers.advance(1_000);
  expect(asked()).toBe(2);
});

test('a request while a query runs is answered by a later one, and none runs beside another', async () => {
  const { timers, poll, answer, asked, running } = world();
  for (let i = 0; i < 10; i++) {
    poll.refresh();
    timers.advance(1_000);
    expect(running()).toBe(1);
  }
  await answer();
  timers.advance(1_000);
  expect([asked(), running()]).toEqual([2, 1]);
  await answer();
  timers.advance(100_000);
  expect(asked()).toBe(2);
});

test('steady requests never keep it from asking', async () => {
  const { timers, poll, answer, asked } = world();
  await answer();
  for (let i = 0; i < 100; i++) {
    poll.refresh();
    timers.advance(100);
    await answer();
  }
  expect(asked()).toBeGreaterThan(15);
  expect(asked()).toBeLessThan(25);
});

test('a stopped one asks no more', async () => {
  const { timers, poll, answer, asked } = world(1_000);
  poll.stop();
  await answer();
  poll.refresh();
  timers.advance(10_000);
  expect(asked()).toBe(1);
});
