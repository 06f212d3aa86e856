/**
 * Pace: how often this validator makes chunks. Additive increase, multiplicative decrease, by how long certification takes.
 *
 *   certified in time --> a little more often          late --> much less often, once an interval
 *
 * "In time" is relative to the best delay seen lately, so that it means the same in one rack and around the world. Each chunk
 * costs every validator some milliseconds of signatures, whatever is in it: a slower pace makes larger chunks, not fewer
 * transactions. And never more often than blocks come, as far as one a second.
 */
import type { Clock } from '@slipstream/ports';
import type { BlockIntervalEstimator } from './block-interval-estimator.ts';

export interface ChunkRateController {
  /** Between two chunks. */
  readonly intervalMs: number;
  /** An own chunk was certified this long after it was sent. True when that was slow. */
  recordCertification(delayMs: number): boolean;
}

const RATE_START = 3;
/**
 * A chunk each 333 ms. A chunk costs four validators and a full node 7 ms of BLS in all, whatever is in it: four producers at
 * this pace take 4 percent of two cores, at five a second they took 7, and a transaction waited 70 ms less.
 */
const RATE_MAX = 3;
const RATE_MIN = 1.5;
const INCREASE = 0.5;
const DECREASE = 0.7;
/** Late is above this, slow above that, and both above so many times the best: late ones make chunks larger and fewer. */
const LATE_ABOVE_MS = 100;
const SLOW_ABOVE_MS = 300;
const SLOW_FACTOR = 3;
/** The best delay is forgotten by so much a chunk: links and loads change. */
const FORGET_FACTOR = 1.01;
/** However slow blocks are, a transaction is stored by a quorum within a second or so. */
const BLOCK_INTERVAL_MS_MAX = 1_000;

export interface ChunkRateParts {
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
