import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createFlushTimer } from '../../src/distillery/flush-timer.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function flushes() {
  const atMs: number[] = [];
  const startMs = Date.now();
  const timer = createFlushTimer(() => void atMs.push(Date.now() - startMs), Date.now);
  return { timer, atMs };
}

it('the first row goes soon, with those of the same moment', () => {
  const { timer, atMs } = flushes();
  for (let i = 0; i < 3; i++) timer.soon();
  vi.advanceTimersByTime(20);
  expect(atMs).toEqual([5]);
});

it('a busy sender sends no more than twenty times per second', () => {
  const { timer, atMs } = flushes();
  for (let i = 0; i < 1_000; i++) {
    timer.soon();
    vi.advanceTimersByTime(1);
  }
  expect(atMs.slice(0, 3)).toEqual([5, 55, 105]);
  expect(atMs).toHaveLength(20);
});

it('a row after a pause waits for no other', () => {
  const { timer, atMs } = flushes();
  timer.soon();
  vi.advanceTimersByTime(500);
  timer.soon();
  vi.advanceTimersByTime(50);
  expect(atMs).toEqual([5, 505]);
});

it('rows go on when the clock is set back', () => {
  const { timer, atMs } = flushes();
  timer.soon();
  vi.advanceTimersByTime(5);
  vi.setSystemTime(Date.now() - 3_600_000);
  timer.soon();
  vi.advanceTimersByTime(50);
  expect(atMs).toHaveLength(2);
});

it('nothing is sent after a stop', () => {
  const { timer, atMs } = flushes();
  timer.soon();
  timer.stop();
  vi.advanceTimersByTime(100);
  expect(atMs).toEqual([]);
});
