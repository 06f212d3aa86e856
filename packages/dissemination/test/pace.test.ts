import { describe, expect, it } from 'vitest';
import { createOptimism } from '../src/optimism.ts';
import { createPace } from '../src/pace.ts';

function clockAt() {
  const clock = { now: 0, monotonicMs: () => clock.now };
  return clock;
}

const paceAt = (clock = clockAt(), rhythm = { intervalMs: 0 }) => createPace({ clock, rhythm });

describe('the pace of chunks', () => {
  it('is no faster than blocks come, as far as one a second', () => {
    const rhythm = { intervalMs: 800 };
    const pace = paceAt(clockAt(), rhythm);
    expect(pace.intervalMs).toBe(800);
    rhythm.intervalMs = 1_700;
    expect(pace.intervalMs).toBe(1_000);
    rhythm.intervalMs = 50;
    expect(pace.intervalMs).toBeCloseTo(1_000 / 3);
  });

  it('grows by steps while certification is fast, up to its maximum', () => {
    const pace = paceAt();
    pace.certified(20);
    pace.certified(2_000);
    const before = pace.intervalMs;
    expect(pace.certified(20)).toBe(false);
    expect(pace.intervalMs).toBeLessThan(before);
    for (let i = 0; i < 1_000; i++) pace.certified(20);
    expect(pace.intervalMs).toBeCloseTo(1_000 / 3);
  });

  it('falls by a share when certification is slow, once an interval, down to its minimum', () => {
    const clock = clockAt();
    const pace = paceAt(clock);
    pace.certified(20);
    const before = pace.intervalMs;
    expect(pace.certified(2_000)).toBe(true);
    const once = pace.intervalMs;
    expect(once).toBeGreaterThan(before * 1.3);
    pace.certified(2_000);
    expect(pace.intervalMs).toBe(once);
    for (let i = 0; i < 100; i++) {
      clock.now += 2_000;
      pace.certified(2_000);
    }
    expect(pace.intervalMs).toBeCloseTo(1_000 / 1.5);
  });

  it('falls for what is late, before it is called slow', () => {
    const pace = paceAt();
    pace.certified(20);
    const before = pace.intervalMs;
    expect(pace.certified(150)).toBe(false);
    expect(pace.intervalMs).toBeGreaterThan(before);
  });

  it('calls slow what is slow for these links: a far network is not slow for being far', () => {
    const pace = paceAt();
    expect(pace.certified(400)).toBe(false);
    expect(pace.certified(1_000)).toBe(false);
    expect(pace.certified(1_300)).toBe(true);
  });
});

describe('optimism', () => {
  it('ends with a failed view or a slow peer, and returns after a while without', () => {
    const clock = clockAt();
    const optimism = createOptimism({ clock }, { troubleMs: 5_000 });
    expect(optimism.justified).toBe(true);
    optimism.noted({ view: 5, parentView: 4 } as never);
    expect(optimism.justified).toBe(true);
    optimism.noted({ view: 6, parentView: 4 } as never);
    expect(optimism.justified).toBe(false);
    clock.now = 4_999;
    expect(optimism.justified).toBe(false);
    clock.now = 5_000;
    expect(optimism.justified).toBe(true);
    optimism.slow();
    expect(optimism.justified).toBe(false);
  });
});
