/**
 * Chunk-rate controller: additive increase, multiplicative decrease of the own chunk rate, by certification delay.
 *
 *   certified in time --> a little more often          late --> much less often, once for each interval
 *
 * "In time" is relative to the best recent delay. Certifications may be rare (D22), so each stands for the time since the one before. A chunk
 * that asked for acks costs every validator milliseconds of signatures: a lower rate makes larger chunks, not fewer transactions. One that
 * did not costs a signature and frames, so the block interval decides, and with many members their number. The rate stays below that of blocks,
 * down to one chunk per second.
 */
import type { Clock } from '@slipstream/ports';
import type { AckDemand } from '../producer/ack-demand.ts';
import type { BlockIntervalEstimator } from './block-interval-estimator.ts';

export interface ChunkRateController {
  readonly intervalMs: number;
  /** `delayMs`: from sending to the certificate. Returns whether that was slow. */
  recordCertification(delayMs: number): boolean;
}

const RATE_START = 3;
/** After a chunk that asked for acks: it costs four validators and a full node 7 ms of BLS. */
const RATE_MAX = 3;
const RATE_MIN = 1.5;
/** After one that did not, at RATE_MAX: about as long as a block that comes as soon as it can. */
const UNASKED_MS = 100;
/** Of all members: each of them takes a chunk of each. */
const UNASKED_PER_SECOND_MAX = 100;
/** For each second. */
const INCREASE = 1;
const DECREASE = 0.7;
/** Late lowers the rate, slow suspends uncertified references. Both must also exceed a multiple of the best delay. */
const LATE_ABOVE_MS = 100;
const SLOW_ABOVE_MS = 300;
const SLOW_FACTOR = 3;
/** The best delay grows by itself in this time: links and loads change. */
const FORGET_MS = 30_000;
/** However slow blocks are, a quorum stores a transaction within about a second. */
const BLOCK_INTERVAL_MS_MAX = 1_000;

interface ChunkRateParts {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly blockInterval: Pick<BlockIntervalEstimator, 'intervalMs'>;
  readonly demand: Pick<AckDemand, 'didAsk'>;
  readonly memberCount: () => number;
}

export function createChunkRateController(parts: ChunkRateParts): ChunkRateController {
  const { clock, blockInterval, demand, memberCount } = parts;
  let rate = RATE_START;
  let bestMs = Number.POSITIVE_INFINITY;
  let decreasedMs = Number.NEGATIVE_INFINITY;
  let lastMs: number | undefined;

  function leastMs(): number {
    const askedMs = 1_000 / rate;
    if (demand.didAsk) return askedMs;
    const unaskedMs = Math.max(UNASKED_MS, (1_000 * memberCount()) / UNASKED_PER_SECOND_MAX);
    return Math.min(askedMs, (unaskedMs * RATE_MAX) / rate);
  }

  return {
    get intervalMs() {
      return Math.max(leastMs(), Math.min(blockInterval.intervalMs, BLOCK_INTERVAL_MS_MAX));
    },
    recordCertification(delayMs) {
      const nowMs = clock.monotonicMs();
      const elapsedMs = nowMs - (lastMs ?? nowMs);
      lastMs = nowMs;
      bestMs = Math.min(bestMs * (1 + elapsedMs / FORGET_MS), delayMs);
      const lateMs = SLOW_FACTOR * bestMs;
      const isInTime = delayMs <= Math.max(LATE_ABOVE_MS, lateMs);
      if (isInTime) rate = Math.min(RATE_MAX, rate + (INCREASE * elapsedMs) / 1_000);
      else if (nowMs - decreasedMs > 1_000 / rate) {
        rate = Math.max(RATE_MIN, rate * DECREASE);
        decreasedMs = nowMs;
      }
      return delayMs > Math.max(SLOW_ABOVE_MS, lateMs);
    },
  };
}
