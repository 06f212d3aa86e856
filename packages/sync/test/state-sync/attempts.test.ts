import { expect, it } from 'vitest';
import { createAttempts } from '../../src/state-sync/attempts.ts';

it('a state sync fails after three attempts in a row without progress', () => {
  const attempts = createAttempts(100);
  expect([100, 90, 101, 101, 101, 101].map(attempts.failed)).toEqual([true, true, true, true, true, false]);
});

it('the number of attempts with little progress is bounded', () => {
  const attempts = createAttempts(0);
  const goesOn = Array.from({ length: 64 }, (_, i) => attempts.failed(i + 1));
  expect(goesOn.lastIndexOf(true)).toBe(62);
});
