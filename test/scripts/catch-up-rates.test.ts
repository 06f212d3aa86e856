import { expect, it } from 'vitest';
import { madePerSecond, replayedPerSecond } from '../../scripts/bench/catch-up/rates.ts';

const block = (height: number, timestampMs: number, transactions: number) => ({ height, timestampMs, transactions });

it('counts what blocks made after the first one, over their timestamps', () => {
  expect(madePerSecond([block(1, 1_000, 99), block(2, 1_500, 100), block(3, 2_000, 300)])).toBe(400);
  expect(madePerSecond([block(1, 1_000, 99)])).toBeUndefined();
  expect(madePerSecond([])).toBeUndefined();
});

it('counts a replay from the first answer of an empty node: work ahead of the first commit is not free', () => {
  const chain = [block(1, 0, 10), block(2, 1, 90), block(3, 2, 100)];
  const readings = [
    { atMs: 0, height: 0 },
    { atMs: 1_500, height: 2 },
    { atMs: 2_000, height: 4 },
    { atMs: 3_000, height: 5 },
  ];
  expect(replayedPerSecond(chain, readings)).toBe(100);
  expect(replayedPerSecond(chain, readings.slice(1))).toBeUndefined();
  expect(replayedPerSecond(chain, readings.slice(0, 2))).toBeUndefined();
});
