/** What the capacity bench prints of a node's threads. */
import { expect, it } from 'vitest';
import { threadCosts, threadCostsText } from '../../scripts/bench/load/thread-costs.ts';
import { busyVerificationUs, verificationUs } from '../../scripts/bench/load/verification.ts';

const of = (name: string, cpuSeconds: number, waitedSeconds: number) => ({ name, cpuSeconds, waitedSeconds });

it('names of one kind of thread are one row, by what happened between the readings', () => {
  const before = [of('main', 1, 1), of('V8Worker 1', 1, 0)];
  const after = [of('main', 2, 4), of('V8Worker 1', 2, 1), of('V8Worker 2', 1, 2), of('api', 0.5, 0)];
  const costs = threadCosts(before, after, { seconds: 10, transactions: 100_000 });
  expect(costs).toEqual([
    { thread: 'V8', us: 20, waitedShare: 0.30000000000000004 },
    { thread: 'main', us: 10, waitedShare: 0.3 },
    { thread: 'api', us: 5, waitedShare: 0 },
  ]);
  expect(threadCostsText(costs)).toBe(
    'us a transaction: 35.0, of it V8 20.0 (waited 30 %), main 10.0 (waited 30 %), api 5.0 (waited 0 %)',
  );
});

it('a verification is timed on one core, and on all at once', async () => {
  expect(verificationUs(64)).toBeGreaterThan(0);
  expect(await busyVerificationUs(64)).toBeGreaterThan(0);
});
