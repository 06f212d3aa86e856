/**
 * Traffic quota: how many bytes and frames may still be read now.
 *
 * A frame may overdraw it once; nothing more is read until bytes and frames are there again. So a frame larger than the whole quota
 * passes, and the long-run rate is the refill.
 */
import { createTokenBucket, type MonotonicClock } from '@slipstream/primitives';
import type { Quota } from './limits.ts';

export interface TrafficQuota {
  /** One frame of so many bytes, or several that have as many together. */
  take(bytes: number, frames?: number): void;
  /** 0 while both are there, else how long to wait. */
  waitMs(): number;
}

/** More than nothing. */
const ANY = Number.MIN_VALUE;
/** A debt is at most one record or frame, whose size the parsers bound. */
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
