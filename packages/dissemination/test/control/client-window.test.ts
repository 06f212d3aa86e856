import { describe, expect, it } from 'vitest';
import { type ClientWindow, createClientWindow } from '../../src/control/client-window.ts';

const LIMITS = { clientWindowMin: 50, clientWindowStart: 1_000, poolTransactionsMax: 4_000, clientTargetMs: 800 };

function windowAt() {
  const time = { nowMs: 10_000 };
  return { time, window: createClientWindow({ clock: { monotonicMs: () => time.nowMs } }, LIMITS) };
}

function fill(window: ClientWindow): number {
  let count = 0;
  for (; window.hasCapacity(1); count++) window.accept();
  return count;
}

const ages = (count: number, ms: number) => Array.from({ length: count }, () => ms);

describe('the client window', () => {
  it('bounds the transactions in flight', () => {
    const { window } = windowAt();
    expect(fill(window)).toBe(1_000);
    window.dropped();
    expect(fill(window)).toBe(1);
  });

  it('grows while it is full and blocks are on time, up to the pool size', () => {
    const { window } = windowAt();
    for (let i = 0; i < 200; i++) {
      fill(window);
      window.committed(ages(100, 300));
    }
    expect(window.size).toBe(4_000);
  });

  it('does not grow while it is hardly used', () => {
    const { window } = windowAt();
    for (let i = 0; i < 40; i++) {
      window.accept();
      window.committed(ages(1, 300));
    }
    expect(window.size).toBe(1_000);
  });

  it('shrinks once per target time while every block is late, never below its minimum', () => {
    const { window, time } = windowAt();
    fill(window);
    for (const nowMs of [10_000, 10_400, 10_799]) {
      time.nowMs = nowMs;
      window.committed(ages(10, 2_000));
      expect(window.size).toBe(1_000);
    }
    time.nowMs = 10_800;
    window.committed(ages(10, 2_000));
    expect(window.size).toBe(700);
    for (let i = 0; i < 40; i++) {
      time.nowMs += 800;
      window.accept();
      window.committed(ages(1, 2_000));
    }
    expect(window.size).toBe(50);
  });

  it('keeps its size over pauses of a chain that is on time between them', () => {
    const { window, time } = windowAt();
    for (let pause = 0; pause < 20; pause++) {
      time.nowMs += 3_000;
      for (const age of [3_000, 2_000, 100]) {
        time.nowMs += 100;
        window.accept();
        window.committed(ages(1, age));
      }
    }
    expect(window.size).toBe(1_000);
  });

  it('keeps its size when its few transactions see only pauses', () => {
    const { window, time } = windowAt();
    for (let pause = 0; pause < 20; pause++) {
      time.nowMs += 60_000;
      window.accept();
      window.committed(ages(1, 2_000));
    }
    expect(window.size).toBe(1_000);
  });

  it('settles where a chain with a steady rate commits accepted transactions within about the target', () => {
    const { window, time } = windowAt();
    const arrivals: number[] = [];
    let worst = 0;
    for (let step = 0; step < 600; step++) {
      time.nowMs += 100;
      for (; window.hasCapacity(1) && arrivals.length < 5_000; window.accept()) arrivals.push(time.nowMs);
      const block = arrivals.splice(0, 60).map((atMs) => time.nowMs - atMs);
      window.committed(block);
      if (step > 200) worst = Math.max(worst, ...block);
    }
    expect(worst).toBeLessThanOrEqual(1_300);
    expect(window.size).toBeGreaterThan(60 * 4);
  });
});
