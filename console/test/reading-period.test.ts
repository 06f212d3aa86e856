import { expect, test } from 'vitest';
import { readingPeriodMs } from '../src/views/committee/reading-period.ts';

test('a committee beside a relayed stream is read again soon, sooner while the page’s node is in an earlier epoch', () => {
  const own = readingPeriodMs(undefined, 3);
  const relayed = readingPeriodMs(3, 3);
  const behind = readingPeriodMs(4, 3);
  expect(behind).toBeLessThan(relayed);
  expect(relayed).toBeLessThan(own);
  expect(readingPeriodMs(4, 4)).toBe(relayed);
  expect(readingPeriodMs(4, undefined)).toBe(relayed);
  expect(readingPeriodMs(3, 4)).toBe(relayed);
});
