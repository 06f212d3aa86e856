import { describe, expect, it } from 'vitest';
import { createChunkRateController } from '../../src/control/chunk-rate-controller.ts';

function clockAt() {
  const clock = { now: 0, monotonicMs: () => clock.now };
  return clock;
}

const paceAt = (clock = clockAt(), blockInterval = { intervalMs: 0 }, demand = { didAsk: true }, members = 4) =>
  createChunkRateController({ clock, blockInterval, demand, memberCount: () => members });

describe('the chunk rate', () => {
  it('is at most the block rate, and at least one per second', () => {
    const blockInterval = { intervalMs: 800 };
    const pace = paceAt(clockAt(), blockInterval);
    expect(pace.intervalMs).toBe(800);
    blockInterval.intervalMs = 1_700;
    expect(pace.intervalMs).toBe(1_000);
    blockInterval.intervalMs = 50;
    expect(pace.intervalMs).toBeCloseTo(1_000 / 3);
  });

  it('is that of blocks after a chunk that asked for no acks, up to ten per second', () => {
    const blockInterval = { intervalMs: 150 };
    const demand = { didAsk: false };
    const pace = paceAt(clockAt(), blockInterval, demand);
    expect(pace.intervalMs).toBe(150);
    blockInterval.intervalMs = 20;
    expect(pace.intervalMs).toBeCloseTo(100);
    demand.didAsk = true;
    expect(pace.intervalMs).toBeCloseTo(1_000 / 3);
  });

  it('of chunks that ask for no acks falls with the members, never below that of those that ask', () => {
    const ofMembers = (members: number) => paceAt(clockAt(), { intervalMs: 0 }, { didAsk: false }, members).intervalMs;
    expect([4, 10, 20, 100].map(ofMembers).map(Math.round)).toEqual([100, 100, 200, 333]);
  });

  it('of chunks that ask for no acks falls by the same share when certification is late', () => {
    const demand = { didAsk: false };
    const pace = paceAt(clockAt(), { intervalMs: 0 }, demand);
    pace.recordCertification(20);
    pace.recordCertification(2_000);
    expect(pace.intervalMs).toBeCloseTo(100 / 0.7);
    demand.didAsk = true;
    expect(pace.intervalMs).toBeCloseTo(1_000 / 3 / 0.7);
  });

  it('grows by steps while certification is fast, up to its maximum', () => {
    const clock = clockAt();
    const pace = paceAt(clock);
    const certified = (afterMs: number, delayMs: number) => {
      clock.now += afterMs;
      return pace.recordCertification(delayMs);
    };
    certified(0, 20);
    certified(0, 2_000);
    const before = pace.intervalMs;
    expect(certified(100, 20)).toBe(false);
    expect(pace.intervalMs).toBeLessThan(before);
    for (let i = 0; i < 1_000; i++) certified(100, 20);
    expect(pace.intervalMs).toBeCloseTo(1_000 / 3);
  });

  it('falls by a share when certification is slow, once an interval, down to its minimum', () => {
    const clock = clockAt();
    const pace = paceAt(clock);
    pace.recordCertification(20);
    const before = pace.intervalMs;
    expect(pace.recordCertification(2_000)).toBe(true);
    const once = pace.intervalMs;
    expect(once).toBeGreaterThan(before * 1.3);
    pace.recordCertification(2_000);
    expect(pace.intervalMs).toBe(once);
    for (let i = 0; i < 10; i++) {
      clock.now += 2_000;
      pace.recordCertification(2_000);
    }
    expect(pace.intervalMs).toBeCloseTo(1_000 / 1.5);
  });

  it('falls for certification above the target, before it counts as slow', () => {
    const pace = paceAt();
    pace.recordCertification(20);
    const before = pace.intervalMs;
    expect(pace.recordCertification(150)).toBe(false);
    expect(pace.intervalMs).toBeGreaterThan(before);
  });

  it('judges slowness relative to the links: a distant network is not slow for its distance', () => {
    const pace = paceAt();
    expect(pace.recordCertification(400)).toBe(false);
    expect(pace.recordCertification(1_000)).toBe(false);
    expect(pace.recordCertification(1_300)).toBe(true);
  });
});

describe('the best recent delay', () => {
  /** Steady slow certifications until the first that does not count as slow. */
  function slowForMs(everyMs: number): number {
    const clock = clockAt();
    const pace = paceAt(clock);
    pace.recordCertification(20);
    do clock.now += everyMs;
    while (pace.recordCertification(400));
    return clock.now;
  }

  it('is forgotten by time, however rare certifications are', () => {
    const often = slowForMs(400);
    expect(often).toBeGreaterThan(30_000);
    expect(Math.abs(slowForMs(5_000) - often)).toBeLessThan(often / 5);
  });

  it('and the rate are what they were before a late one, after one in time that is as old as a probe', () => {
    const clock = clockAt();
    const pace = paceAt(clock);
    pace.recordCertification(20);
    pace.recordCertification(150);
    expect(pace.intervalMs).toBeGreaterThan(1_000 / 3);
    clock.now += 5_000;
    pace.recordCertification(20);
    expect(pace.intervalMs).toBeCloseTo(1_000 / 3);
  });
});
