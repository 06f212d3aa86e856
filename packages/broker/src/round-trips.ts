/** Times from a header to its share: how long the next batch waits. */
import { SHARE_WAIT_MARGIN_MS, SHARE_WAIT_MS_MAX, SHARE_WAIT_MS_MIN } from './limits.ts';

/** A few batches of many clients. */
const SAMPLES_MAX = 256;
/** Before there is a sample: clients of other continents. */
const FIRST_MS = 200;

export interface RoundTrips {
  /** Late shares too, or the time could only fall. */
  record(tookMs: number): void;
  p95(): number;
  /** Two of them, and a margin (Q6). */
  shareWaitMs(): number;
}

export function createRoundTrips(): RoundTrips {
  const samples: number[] = [];
  let next = 0;

  function p95(): number {
    if (samples.length === 0) return FIRST_MS;
    const sorted = samples.toSorted((a, b) => a - b);
    return sorted[Math.min(sorted.length - 1, Math.floor(0.95 * sorted.length))] as number;
  }

  return {
    record(tookMs) {
      samples[next] = tookMs;
      next = (next + 1) % SAMPLES_MAX;
    },
    p95,
    shareWaitMs: () => Math.min(SHARE_WAIT_MS_MAX, Math.max(SHARE_WAIT_MS_MIN, 2 * p95() + SHARE_WAIT_MARGIN_MS)),
  };
}
