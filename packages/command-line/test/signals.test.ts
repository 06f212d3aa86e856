import { EventEmitter } from 'node:events';
import { expect, test, vi } from 'vitest';
import { createSignals } from '../src/signals.ts';

function signalsOf(connected?: boolean) {
  const source = Object.assign(new EventEmitter(), { connected: connected as boolean });
  const clock = { nowMs: 5_000 };
  const orphaned = vi.fn();
  const signals = createSignals({ source, nowMs: () => clock.nowMs, orphaned });
  const received: string[] = [];
  return {
    source,
    clock,
    orphaned,
    signals,
    received,
    listen: () => signals.listen((signal) => received.push(signal)),
  };
}

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'])(
  '%s stops a command that listens, and is left to the system otherwise',
  (signal) => {
    const { source, received, listen } = signalsOf();
    const release = listen();
    source.emit(signal);
    expect(received).toEqual([signal]);
    release();
    expect(source.listenerCount(signal)).toBe(0);
  },
);

test('a signal that arrives several times at once, as from a whole service, counts once', () => {
  const { source, clock, received, listen } = signalsOf();
  listen();
  source.emit('SIGTERM');
  clock.nowMs += 999;
  source.emit('SIGTERM');
  source.emit('SIGHUP');
  expect(received).toEqual(['SIGTERM']);
  clock.nowMs += 1;
  source.emit('SIGINT');
  expect(received).toEqual(['SIGTERM', 'SIGINT']);
});

test('the exit of the parent process counts as a signal, unless one came before', () => {
  const alone = signalsOf(true);
  alone.listen();
  alone.source.emit('disconnect');
  expect(alone.received).toEqual(['disconnect']);
  const stopping = signalsOf(true);
  stopping.listen();
  stopping.source.emit('SIGTERM');
  stopping.clock.nowMs += 60_000;
  stopping.source.emit('disconnect');
  expect(stopping.received).toEqual(['SIGTERM']);
  expect([alone.orphaned, stopping.orphaned].map((mock) => mock.mock.calls.length)).toEqual([0, 0]);
});

test('the parent may exit before the command listens', async () => {
  const { received, listen } = signalsOf(false);
  listen();
  await new Promise(setImmediate);
  expect(received).toEqual(['disconnect']);
});

test('without a listener the exit of the parent ends this process', () => {
  const { source, orphaned } = signalsOf(true);
  source.emit('disconnect');
  expect(orphaned).toHaveBeenCalledTimes(1);
});

test('a command started without a channel does not watch its parent', () => {
  const { source } = signalsOf();
  expect(source.listenerCount('disconnect')).toBe(0);
});
