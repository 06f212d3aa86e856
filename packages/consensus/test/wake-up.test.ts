import { describe, expect, it } from 'vitest';
import { createWakeUp } from '../src/wake-up.ts';

/** A clock that stands at 100 ms and keeps what it was asked for. */
function standing() {
  const timers: { readonly ms: number; readonly fire: () => void; cancelled: boolean }[] = [];
  const clock = {
    wallMs: () => 100,
    monotonicMs: () => 100,
    after(ms: number, fire: () => void) {
      const timer = { ms, fire, cancelled: false };
      timers.push(timer);
      return () => {
        timer.cancelled = true;
      };
    },
  };
  let woken = 0;
  const wakeUp = createWakeUp(clock, () => woken++);
  return { wakeUp, timers, woken: () => woken };
}

describe('the wake-up', () => {
  it('requests no timer when the time is the scheduled one', () => {
    const { wakeUp, timers } = standing();
    for (let i = 0; i < 3; i++) wakeUp.at(150);
    expect(timers.map(({ ms }) => ms)).toEqual([50]);
  });

  it('replaces the last time with the latest, and fires a past one at once', () => {
    const { wakeUp, timers } = standing();
    wakeUp.at(150);
    wakeUp.at(90);
    expect(timers.map(({ ms, cancelled }) => [ms, cancelled])).toEqual([
      [50, true],
      [0, false],
    ]);
  });

  it('schedules the same time again after it has fired', () => {
    const { wakeUp, timers, woken } = standing();
    wakeUp.at(150);
    timers[0]?.fire();
    wakeUp.at(150);
    expect([woken(), timers.length]).toEqual([1, 2]);
  });

  it('never fires after a cancellation, or without a request', () => {
    const { wakeUp, timers } = standing();
    wakeUp.at(150);
    wakeUp.cancel();
    wakeUp.at(Number.POSITIVE_INFINITY);
    expect(timers.map(({ cancelled }) => cancelled)).toEqual([true]);
  });
});
