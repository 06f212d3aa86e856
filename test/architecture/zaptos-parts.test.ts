import { describe, expect, it } from 'vitest';
import { meanParts, PARTS, partsOf } from '../../scripts/bench/zaptos/latency-parts.ts';
import { predict, reductionFromProposal } from '../../scripts/bench/zaptos/prediction.ts';
import { stageGains } from '../../scripts/bench/zaptos/stage-gains.ts';

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

describe('a measured reduction', () => {
  it('does not depend on which mode waited longer for a proposal', () => {
    const [parallel, sequential] = [
      { beforeMs: 430, afterMs: 300 },
      { beforeMs: 370, afterMs: 420 },
    ];
    expect(reductionFromProposal(parallel, sequential)).toBeCloseTo(120 / 820);
    expect(reductionFromProposal({ ...parallel, beforeMs: 370 }, { ...sequential, beforeMs: 430 })).toBeCloseTo(
      120 / 820,
    );
  });
});

describe('what is saved by stage', () => {
  const delays = { beforeMs: 400, consensusMs: 300, voteMs: 100, linkMs: 0, executeMs: 20, commitMs: 10 } as const;
  const parallel = [380, 20, 300, 0, 0, 2, 1];
  const sequential = [350, 20, 300, 20, 95, 12, 1];

  it('is the difference of the modes', () => {
    const gains = stageGains(parallel, sequential, { ...delays, baselineRuns: 1 });
    expect(gains.map(({ gainMs }) => gainMs)).toEqual([-30, 0, 0, 20, 95, 10, 0]);
    expect(gains.map(({ part }) => part)).toEqual(PARTS);
  });

  it('is predicted for the stages after the order, and adds up to the whole prediction', () => {
    const long = { ...delays, executeMs: 150, commitMs: 110, baselineRuns: 2 } as const;
    for (const each of [{ ...delays, baselineRuns: 1 } as const, long]) {
      const predicted = stageGains(parallel, sequential, each).map(({ predictedMs }) => predictedMs);
      const { parallelMs, sequentialMs } = predict(each);
      expect(predicted.slice(0, 3)).toEqual([0, 0, 0]);
      expect(sum(predicted)).toBeCloseTo(sequentialMs - parallelMs);
    }
  });
});
