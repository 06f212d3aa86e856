import { expect, it } from 'vitest';
import { findRestedKnee } from '../../scripts/bench/load/knee.ts';

const HIGHEST = 1_000;

it('an overload is followed by a rate that held, before the next rate is judged', async () => {
  let isStrained = false;
  const loads: number[] = [];
  const knee = await findRestedKnee(
    async (rate) => {
      loads.push(rate);
      const fault = isStrained || rate > HIGHEST ? 'refused' : undefined;
      isStrained = rate > HIGHEST;
      return fault;
    },
    { from: 700, ceiling: 10_000, stepsMax: 12 },
  );
  expect(loads.filter((rate) => rate > HIGHEST)).not.toEqual([]);
  expect(knee.transactionsPerSecond).toBeLessThanOrEqual(HIGHEST);
  expect(knee.transactionsPerSecond).toBeGreaterThan(0.9 * HIGHEST);
  for (const [at, rate] of loads.entries()) if (rate > HIGHEST) expect(loads[at + 1]).toBeLessThanOrEqual(HIGHEST);
});
