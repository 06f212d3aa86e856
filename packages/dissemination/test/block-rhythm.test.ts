import { describe, expect, it } from 'vitest';
import { createBlockRhythm } from '../src/block-rhythm.ts';

function rhythmAt() {
  const clock = { now: 5_000, monotonicMs: () => clock.now };
  const rhythm = createBlockRhythm({ clock });
  const commit = (afterMs: number, hasTransactions: boolean) => {
    clock.now += afterMs;
    rhythm.committed(hasTransactions);
  };
  return { rhythm, commit };
}

describe('the rhythm of blocks', () => {
  it('is unknown before two blocks with transactions follow each other', () => {
    const { rhythm, commit } = rhythmAt();
    commit(100, true);
    commit(1_000, false);
    commit(1_000, false);
    commit(30, true);
    expect(rhythm.intervalMs).toBe(0);
  });

  it('goes towards the interval of late, whether that grows or shrinks', () => {
    const { rhythm, commit } = rhythmAt();
    for (let i = 0; i < 40; i++) commit(800, true);
    expect(rhythm.intervalMs).toBeCloseTo(800, 0);
    for (let i = 0; i < 40; i++) commit(100, true);
    expect(rhythm.intervalMs).toBeCloseTo(100, 0);
  });

  it('takes a long pause for one of two seconds', () => {
    const { rhythm, commit } = rhythmAt();
    commit(0, true);
    commit(3_600_000, true);
    expect(rhythm.intervalMs).toBe(500);
  });
});
