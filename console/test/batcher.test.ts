import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createBatcher } from '../src/stream/batcher.ts';
import { manualTimers } from './manual-timers.ts';

test('the first change is flushed at once, later ones together', () => {
  const timers = manualTimers();
  let flushes = 0;
  const batcher = createBatcher(timers, () => flushes++, 34);
  batcher.touch();
  timers.advance(0);
  expect(flushes).toBe(1);
  for (let i = 0; i < 20; i++) batcher.touch();
  timers.advance(33);
  expect(flushes).toBe(1);
  timers.advance(1);
  expect(flushes).toBe(2);
});

test('any sequence of changes gives at most 30 batches per second, and all changes are flushed', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(60), { maxLength: 200 }), (pauses) => {
      const timers = manualTimers();
      const flushedMs: number[] = [];
      let touched = 0;
      let taken = 0;
      const batcher = createBatcher(
        timers,
        () => {
          flushedMs.push(timers.now());
          taken = touched;
        },
        34,
      );
      for (const pause of pauses) {
        touched += 1;
        batcher.touch();
        timers.advance(pause);
      }
      timers.advance(34);
      expect(taken).toBe(touched);
      flushedMs.forEach((atMs, i) => {
        const before = flushedMs[i - 1];
        if (before !== undefined) expect(atMs - before).toBeGreaterThanOrEqual(34);
      });
    }),
  );
});

test('a longer interval applies to pending changes too', () => {
  const timers = manualTimers();
  let flushes = 0;
  const batcher = createBatcher(timers, () => flushes++, 34);
  batcher.touch();
  timers.advance(0);
  batcher.touch();
  batcher.setInterval(1_000);
  timers.advance(999);
  expect(flushes).toBe(1);
  timers.advance(1);
  expect(flushes).toBe(2);
});

test('no change is flushed after the stop', () => {
  const timers = manualTimers();
  let flushes = 0;
  const batcher = createBatcher(timers, () => flushes++, 34);
  batcher.touch();
  batcher.stop();
  timers.advance(1_000);
  expect(flushes).toBe(0);
});
