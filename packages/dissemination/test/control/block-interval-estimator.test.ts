import { describe, expect, it } from 'vitest';
import { createBlockIntervalEstimator } from '../../src/control/block-interval-estimator.ts';

function rhythmAt() {
  const clock = { now: 5_000, monotonicMs: () => clock.now };
  const blockInterval = createBlockIntervalEstimator({ clock });
  const commit = (afterMs: number, hasTransactions: boolean) => {
    clock.now += afterMs;
    blockInterval.recordBlock(hasTransactions);
  };
  return { blockInterval, commit };
}

describe('the block-interval estimate', () => {
  it('is unknown before two blocks with transactions follow each other', () => {
    const { blockInterval, commit } = rhythmAt();
    commit(100, true);
    commit(1_000, false);
    commit(1_000, false);
    commit(30, true);
    expect(blockInterval.intervalMs).toBe(0);
  });

  it('converges to the recent interval, whether that grows or shrinks', () => {
    const { blockInterval, commit } = rhythmAt();
    for (let i = 0; i < 40; i++) commit(800, true);
    expect(blockInterval.intervalMs).toBeCloseTo(800, 0);
    for (let i = 0; i < 40; i++) commit(100, true);
    expect(blockInterval.intervalMs).toBeCloseTo(100, 0);
  });

  it('adapts when few blocks have transactions: empty ones between them show the interval too', () => {
    const { blockInterval, commit } = rhythmAt();
    for (let i = 0; i < 40; i++) commit(1_500, true);
    // One producer whose chunks follow the interval.
    for (let block = 0; block < 60; block++) commit(100, block % 10 === 0);
    expect(blockInterval.intervalMs).toBeCloseTo(100, 0);
  });

  it('does not converge to the interval of an idle chain', () => {
    const { blockInterval, commit } = rhythmAt();
    for (let i = 0; i < 40; i++) commit(200, true);
    for (let i = 0; i < 40; i++) commit(1_000, i % 3 === 1);
    expect(blockInterval.intervalMs).toBeCloseTo(200, 0);
  });

  it('counts a long pause as two seconds', () => {
    const { blockInterval, commit } = rhythmAt();
    commit(0, true);
    commit(3_600_000, true);
    expect(blockInterval.intervalMs).toBe(500);
  });
});
