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
  it('asks for no timer when the time is the one that it has', () => {
    const { wakeUp, timers } = standing();
    for (let i = 0; i < 3; i++) wakeUp.at(150);
    expect(timers.map(({ ms }) => ms)).toEqual([50]);
  });

  it('puts the newest time in place of the last one, and what is past at once', () => {
    const { wakeUp, timers } = standing();
    wakeUp.at(150);
    wakeUp.at(90);
    expect(timers.map(({ ms, cancelled }) => [ms, cancelled])).toEqual([
      [50, true],
      [0, false],
    ]);
  });

  it('asks again for the same time once it has fired', () => {
    const { wakeUp, timers, woken } = standing();
    wakeUp.at(150);
    timers[0]?.fire();
    wakeUp.at(150);
    expect([woken(), timers.length]).toEqual([1, 2]);
  });

  it('wakes nobody after it was cancelled, or was asked for never', () => {
    const { wakeUp, timers } = standing();
    wakeUp.at(150);
    wakeUp.cancel();
    wakeUp.at(Number.POSITIVE_INFINITY);
    expect(timers.map(({ cancelled }) => cancelled)).toEqual([true]);
  });
});
