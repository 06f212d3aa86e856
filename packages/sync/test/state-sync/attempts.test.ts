import { expect, it } from 'vitest';
import { createAttempts } from '../../src/state-sync/attempts.ts';

it('a state sync is tried three times in vain, and again whenever an attempt has brought more than all before', () => {
  const attempts = createAttempts(100);
  expect([100, 90, 101, 101, 101, 101].map(attempts.failed)).toEqual([true, true, true, true, true, false]);
});

it('whoever brings a little each time is not listened to for ever', () => {
  const attempts = createAttempts(0);
  const goesOn = Array.from({ length: 64 }, (_, i) => attempts.failed(i + 1));
  expect(goesOn.lastIndexOf(true)).toBe(62);
});
