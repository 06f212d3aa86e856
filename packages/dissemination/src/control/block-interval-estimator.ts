/**
 * Block-interval estimator: the recent time between committed blocks with transactions.
 *
 *   committed, committed, committed --> intervalMs --> how often chunks are made, how long forwarded transactions gather
 *
 * Chunks, certificates and forwarded frames have a fixed cost, so they need not come more often than blocks. An idle chain gives no
 * interval: a transaction after a quiet time does not wait.
 *
 * A block without transactions only shortens the interval. Otherwise a long interval would sustain itself: chunks that wait for it leave
 * blocks empty, and no two blocks with transactions follow each other.
 */
import type { Clock } from '@slipstream/ports';

export interface BlockIntervalEstimator {
  recordBlock(hasTransactions: boolean): void;
  /** 0 before the second block. */
  readonly intervalMs: number;
}

/** Weight of a new interval: a few blocks decide. */
const SMOOTHING = 1 / 4;
/** A longer pause is a stall. */
const INTERVAL_MS_MAX = 2_000;

export function createBlockIntervalEstimator({
  clock,
}: {
  readonly clock: Pick<Clock, 'monotonicMs'>;
}): BlockIntervalEstimator {
  let intervalMs = 0;
  let last: { readonly atMs: number; readonly hasTransactions: boolean } | undefined;

  return {
    recordBlock(hasTransactions) {
      const atMs = clock.monotonicMs();
      if (last !== undefined) {
        const isBusy = hasTransactions && last.hasTransactions;
        const sampleMs = Math.min(atMs - last.atMs, isBusy ? INTERVAL_MS_MAX : intervalMs);
        intervalMs += SMOOTHING * (sampleMs - intervalMs);
      }
      last = { atMs, hasTransactions };
    },
    get intervalMs() {
      return intervalMs;
    },
  };
}
