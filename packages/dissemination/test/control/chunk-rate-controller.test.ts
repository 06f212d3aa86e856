import { describe, expect, it } from 'vitest';
import { createChunkRateController } from '../../src/control/chunk-rate-controller.ts';
import { createUncertifiedReferences } from '../../src/proposals/uncertified-references.ts';

function clockAt() {
  const clock = { now: 0, monotonicMs: () => clock.now };
  return clock;
}

const paceAt = (clock = clockAt(), blockInterval = { intervalMs: 0 }) =>
  createChunkRateController({ clock, blockInterval: blockInterval });

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

  it('grows by steps while certification is fast, up to its maximum', () => {
    const pace = paceAt();
    pace.recordCertification(20);
    pace.recordCertification(2_000);
    const before = pace.intervalMs;
    expect(pace.recordCertification(20)).toBe(false);
    expect(pace.intervalMs).toBeLessThan(before);
    for (let i = 0; i < 1_000; i++) pace.recordCertification(20);
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
    for (let i = 0; i < 100; i++) {
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

describe('uncertified references', () => {
  it('end with a failed view or a slow peer, and return after a while without', () => {
    const clock = clockAt();
    let suspensions = 0;
    const events = { uncertifiedReferencesSuspended: () => void suspensions++ };
    const uncertifiedReferences = createUncertifiedReferences({ clock, events }, { suspensionMs: 5_000 });
    expect(uncertifiedReferences.allowed).toBe(true);
    uncertifiedReferences.trackBlock({ view: 5, parentView: 4 } as never);
    expect([uncertifiedReferences.allowed, suspensions]).toEqual([true, 0]);
    uncertifiedReferences.trackBlock({ view: 6, parentView: 4 } as never);
    expect(uncertifiedReferences.allowed).toBe(false);
    clock.now = 4_999;
    expect(uncertifiedReferences.allowed).toBe(false);
    clock.now = 5_000;
    expect(uncertifiedReferences.allowed).toBe(true);
    uncertifiedReferences.suspend();
    expect(uncertifiedReferences.allowed).toBe(false);
  });
});
