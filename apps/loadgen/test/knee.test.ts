import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findKnee } from '../src/search/knee.ts';

const options = { from: 200, ceiling: 20_000, precision: 0.05, stepsMax: 60 };

test('the knee of a chain with a fixed capacity is found within the precision, and never above it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 200, max: 19_000 }), async (capacity) => {
      const knee = await findKnee(async (rate) => (rate <= capacity ? undefined : 'too slow'), options);
      expect(knee.transactionsPerSecond).toBeLessThanOrEqual(capacity);
      expect(knee.transactionsPerSecond).toBeGreaterThanOrEqual(Math.floor(capacity * 0.94) - 1);
    }),
  );
});

test('a step that fails once is repeated', async () => {
  let failures = 1;
  const knee = await findKnee(
    async (rate) => {
      if (rate > 1_000) return 'too slow';
      if (rate > 400 && failures > 0) {
        failures -= 1;
        return 'somebody else paused us';
      }
      return undefined;
    },
    { ...options, ceiling: 1_000 },
  );
  expect(knee.transactionsPerSecond).toBe(1_000);
});

test('a chain that sustains no rate has its knee at 0, and the search ends', async () => {
  const knee = await findKnee(async () => 'dead', { ...options, stepsMax: 8 });
  expect(knee.transactionsPerSecond).toBe(0);
  expect(knee.steps.length).toBeLessThanOrEqual(8);
});

test('the search never exceeds the ceiling', async () => {
  const knee = await findKnee(async () => undefined, { ...options, ceiling: 3_000 });
  expect(knee.transactionsPerSecond).toBe(3_000);
  expect(Math.max(...knee.steps.map((step) => step.transactionsPerSecond))).toBe(3_000);
});
