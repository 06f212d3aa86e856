/**
 * Traffic quota: bytes and frames that may be read now. One frame may overdraw it; reading then stops until both buckets have refilled. So
 * a frame above the quota passes, and the long-run rate is the refill.
 */
import { createTokenBucket, type MonotonicClock } from '@slipstream/primitives';
import type { Quota } from './limits.ts';

export interface TrafficQuota {
  /** One frame, or several with this total. */
  take(bytes: number, frames?: number): void;
  /** 0 while neither bucket is empty. */
  waitMs(): number;
}

const ANY = Number.MIN_VALUE;
/** One record or frame, whose size the parsers bound. */
const DEBT_MAX = Number.POSITIVE_INFINITY;

export function createTrafficQuota(clock: MonotonicClock, quota: Quota): TrafficQuota {
  const bucketOf = (perSecond: number) =>
    createTokenBucket(clock, { perSecond, burst: perSecond * quota.burstSeconds }, DEBT_MAX);
  const [bytes, frames] = [bucketOf(quota.bytesPerSecond), bucketOf(quota.framesPerSecond)];

  return {
    take(length, count = 1) {
      bytes.charge(length);
      frames.charge(count);
    },
    waitMs: () => Math.max(bytes.waitMs(ANY), frames.waitMs(ANY)),
  };
}
