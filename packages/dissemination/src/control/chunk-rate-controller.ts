/**
 * Chunk-rate controller: how often this validator makes chunks. Additive increase, multiplicative decrease, by certification delay.
 *
 *   certified in time --> a little more often          late --> much less often, once for each interval
 *
 * "In time" is relative to the best recent delay, so it means the same in one rack and around the world. Each chunk costs every validator
 * some milliseconds of signatures, whatever is in it: a lower rate makes larger chunks, not fewer transactions. The rate is never above
 * that of blocks, down to one chunk per second.
 */
import type { Clock } from '@slipstream/ports';
import type { BlockIntervalEstimator } from './block-interval-estimator.ts';

export interface ChunkRateController {
  /** Between two chunks. */
  readonly intervalMs: number;
  /** An own chunk was certified this long after it was sent. Returns whether that was slow. */
  recordCertification(delayMs: number): boolean;
}

const RATE_START = 3;
/** A chunk costs four validators and a full node 7 ms of BLS in all: four producers at this rate take 4 percent of two cores. */
const RATE_MAX = 3;
const RATE_MIN = 1.5;
const INCREASE = 0.5;
const DECREASE = 0.7;
/** A late certification lowers the rate, a slow one suspends uncertified references. Both are also above so many times the best delay. */
const LATE_ABOVE_MS = 100;
const SLOW_ABOVE_MS = 300;
const SLOW_FACTOR = 3;
/** The best delay grows by this factor with each chunk: links and loads change. */
const FORGET_FACTOR = 1.01;
/** However slow blocks are, a quorum stores a transaction within a second or so. */
const BLOCK_INTERVAL_MS_MAX = 1_000;

interface ChunkRateParts {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly blockInterval: Pick<BlockIntervalEstimator, 'intervalMs'>;
}

export function createChunkRateController({ clock, blockInterval }: ChunkRateParts): ChunkRateController {
  let rate = RATE_START;
  let bestMs = Number.POSITIVE_INFINITY;
  let decreasedMs = Number.NEGATIVE_INFINITY;

  return {
    get intervalMs() {
      return Math.max(1_000 / rate, Math.min(blockInterval.intervalMs, BLOCK_INTERVAL_MS_MAX));
    },
    recordCertification(delayMs) {
      bestMs = Math.min(bestMs * FORGET_FACTOR, delayMs);
      const lateMs = SLOW_FACTOR * bestMs;
      const nowMs = clock.monotonicMs();
      if (delayMs <= Math.max(LATE_ABOVE_MS, lateMs)) rate = Math.min(RATE_MAX, rate + INCREASE);
      else if (nowMs - decreasedMs > 1_000 / rate) {
        rate = Math.max(RATE_MIN, rate * DECREASE);
        decreasedMs = nowMs;
      }
      return delayMs > Math.max(SLOW_ABOVE_MS, lateMs);
    },
  };
}
