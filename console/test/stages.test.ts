import fc from 'fast-check';
import { expect, test } from 'vitest';
import { medianTimes, roundScale, segmentsOf, stageBars, totalMs } from '../src/node/stages.ts';

test('milestones are in the order in which they were reached', () => {
  const times = { proposedMs: 100, certifiedMs: 130, notarizedMs: 120, finalizedMs: 150, committedMs: 155 };
  expect(segmentsOf(times)).toEqual([
    { milestone: 'notarized', ms: 20 },
    { milestone: 'certified', ms: 10 },
    { milestone: 'final', ms: 20 },
    { milestone: 'committed', ms: 5 },
  ]);
});

test('the segments of a block add up to its whole time', () => {
  const offset = fc.nat(500);
  fc.assert(
    fc.property(offset, offset, offset, offset, (a, b, c, d) => {
      const times = {
        proposedMs: 1_000,
        notarizedMs: 1_000 + a,
        finalizedMs: 1_000 + b,
        certifiedMs: 1_000 + c,
        committedMs: 1_000 + d,
      };
      expect(totalMs(segmentsOf(times))).toBe(Math.max(a, b, c, d));
    }),
  );
});

test('without its proposal a block has no bar', () => {
  expect(segmentsOf({ notarizedMs: 5 })).toEqual([]);
  expect(stageBars({ notarizedMs: 5 })).toEqual([]);
});

test('the commit begins when the block is both final and certified', () => {
  const bars = stageBars({ proposedMs: 0, notarizedMs: 10, finalizedMs: 20, certifiedMs: 35, committedMs: 40 });
  expect(bars.find(({ name }) => name === 'Commit')).toMatchObject({ fromMs: 35, toMs: 40 });
});

test('the median block has the median of each stage', () => {
  const all = [10, 30, 20].map((ms, i) => ({
    proposedMs: i * 1_000,
    notarizedMs: i * 1_000 + ms,
    committedMs: i * 1_000 + 50,
  }));
  expect(medianTimes(all)).toEqual({ proposedMs: 0, notarizedMs: 20, committedMs: 50 });
});

test('a scale is 1, 2 or 5 times a power of ten, and never below the data', () => {
  expect([7, 12, 21, 51, 180, 201].map(roundScale)).toEqual([10, 20, 50, 100, 200, 500]);
});
