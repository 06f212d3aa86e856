import { describe, expect, it } from 'vitest';
import { meanParts, PARTS, partsOf } from '../../scripts/bench/zaptos/latency-parts.ts';
import { predict } from '../../scripts/bench/zaptos/prediction.ts';

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

describe('the parts of a latency', () => {
  it('are the times between the ends of stages that run one after another', () => {
    expect(partsOf(100, [300, 350, 650, 660, 750, 755, 760])).toEqual([200, 50, 300, 10, 90, 5, 5]);
  });

  it('leave nothing to a stage that ended before an earlier one of the path', () => {
    // Executed and certified while consensus ran; the full node commits before the validator.
    expect(partsOf(100, [300, 350, 650, 420, 640, 655, 652])).toEqual([200, 50, 300, 0, 0, 2, 0]);
    expect(partsOf(100, [undefined, 350, 650, undefined, 660, 661, 670])).toEqual([0, 250, 300, 0, 10, 1, 9]);
  });

  it('add up to the latency', () => {
    for (const ends of [
      [90, 350, 340, 420, 640, 655, 652],
      [700, 10, 20, 30, 40, 50, 660],
    ]) {
      expect(sum(partsOf(100, ends))).toBe((ends.at(-1) as number) - 100);
    }
    expect(() => partsOf(100, [1, 2, 3])).toThrow('ends at the full node');
  });

  it('have a mean each', () => {
    const means = meanParts([
      [2, 0, 4, 0, 0, 0, 0],
      [4, 2, 4, 0, 0, 0, 8],
    ]);
    expect(means).toEqual([3, 1, 4, 0, 0, 0, 4]);
    expect(means).toHaveLength(PARTS.length);
  });
});

describe('the prediction of theorem 4.3', () => {
  const short = {
    beforeMs: 0,
    consensusMs: 300,
    voteMs: 100,
    linkMs: 1,
    executeMs: 20,
    commitMs: 10,
    baselineRuns: 2,
  } as const;

  it('hides execution and commit below one exchange of votes', () => {
    expect(predict(short)).toMatchObject({ parallelMs: 302, sequentialMs: 302 + 100 + 60 });
  });

  it('counts what an exchange of votes cannot hide', () => {
    const long = { ...short, executeMs: 150, commitMs: 110 };
    expect(predict(long).parallelMs).toBe(302 + (260 - 200) + 50 + 10);
    expect(predict(long).sequentialMs).toBe(302 + 100 + 2 * 260);
  });

  it('counts execution and commit once in a baseline whose full node runs beside its validator', () => {
    expect(predict({ ...short, baselineRuns: 1 }).sequentialMs).toBe(302 + 100 + 30);
  });

  it('puts the wait for a block in both', () => {
    expect(predict({ ...short, beforeMs: 400 }).reduction).toBeCloseTo(160 / 862);
  });
});
