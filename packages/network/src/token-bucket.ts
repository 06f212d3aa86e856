/**
 * Quota of one peer and lane: a bucket of bytes and a bucket of frames.
 *
 * What is taken may overdraw a bucket, once; nothing more is read until both are positive again. So a frame larger
 * than a whole bucket still passes, and the long-run rate is exactly the refill.
 */
import type { Quota } from './limits.ts';

export interface TokenBucket {
  /** One frame of so many bytes, or several that have as many together. */
  take(bytes: number, frames?: number): void;
  /** Zero while there is something left, otherwise how long to wait. */
  waitMs(): number;
}

export function createTokenBucket(quota: Quota, monotonicMs: () => number): TokenBucket {
  const bytesMax = quota.bytesPerSecond * quota.burstSeconds;
  const framesMax = quota.framesPerSecond * quota.burstSeconds;
  let bytes = bytesMax;
  let frames = framesMax;
  let refilledMs = monotonicMs();

  function refill(): void {
    const nowMs = monotonicMs();
    const seconds = (nowMs - refilledMs) / 1_000;
    refilledMs = nowMs;
    bytes = Math.min(bytesMax, bytes + seconds * quota.bytesPerSecond);
    frames = Math.min(framesMax, frames + seconds * quota.framesPerSecond);
  }

  return {
    take(length, count = 1) {
      bytes -= length;
      frames -= count;
    },
    waitMs() {
      if (bytes > 0 && frames > 0) return 0;
      refill();
      if (bytes > 0 && frames > 0) return 0;
      const seconds = Math.max(-bytes / quota.bytesPerSecond, -frames / quota.framesPerSecond);
      return Math.max(1, Math.ceil(seconds * 1_000));
    },
  };
}
