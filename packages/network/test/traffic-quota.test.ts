import { expect, test } from 'vitest';
import { createTrafficQuota } from '../src/traffic-quota.ts';

const quota = { bytesPerSecond: 1_000, framesPerSecond: 10, burstSeconds: 2 };

test('a burst passes, then the rate is that of the refill', () => {
  let nowMs = 0;
  const bucket = createTrafficQuota({ monotonicMs: () => nowMs }, quota);
  bucket.take(1_999);
  expect(bucket.waitMs()).toBe(0);
  bucket.take(501);
  expect(bucket.waitMs()).toBe(500);
  nowMs = 501;
  expect(bucket.waitMs()).toBe(0);
});

test('frames and bytes have separate quotas', () => {
  const bucket = createTrafficQuota({ monotonicMs: () => 0 }, quota);
  for (let i = 0; i < 20; i++) bucket.take(1);
  expect(bucket.waitMs()).toBeGreaterThan(0);
});

test('an idle time of any length refills one burst', () => {
  let nowMs = 0;
  const bucket = createTrafficQuota({ monotonicMs: () => nowMs }, quota);
  bucket.take(2_000);
  nowMs = 1_000_000;
  expect(bucket.waitMs()).toBe(0);
  bucket.take(2_001);
  expect(bucket.waitMs()).toBe(1);
});
