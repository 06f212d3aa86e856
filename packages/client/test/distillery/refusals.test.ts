import { expect, test } from 'vitest';
import { BROKER_LIMITS, REFUSED_ROW_RATE } from '../../../broker/src/limits.ts';
import { retryDelayMs } from '../../src/distillery/refusals.ts';

test('a gateway that comes back asks about all its rows in flight no faster than a broker takes refusals (Q10)', () => {
  const { sessionRowsMax } = BROKER_LIMITS;
  expect(sessionRowsMax).toBeLessThanOrEqual(REFUSED_ROW_RATE.burst);
  const perSecond = sessionRowsMax / (retryDelayMs(0, 'sequence-in-flight') / 1_000);
  expect(perSecond).toBeLessThan(REFUSED_ROW_RATE.perSecond);
});

test('a wish of a broker counts within bounds', () => {
  expect([0, 300, 60_000].map((wishedMs) => retryDelayMs(wishedMs))).toEqual([100, 300, 5_000]);
  expect(retryDelayMs(3_000, 'sequence-in-flight')).toBe(3_000);
});
