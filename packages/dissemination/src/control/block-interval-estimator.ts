/**
 * Block-interval estimator: the recent time between committed blocks, while they have transactions.
 *
 *   committed, committed, committed --> intervalMs --> how often chunks are made, how long forwarded transactions gather
 *
 * Chunks, certificates and forwarded frames cost every node the same whatever is in them, and all that come between two blocks end in the
 * second one. So they need not come more often than blocks. An idle chain gives no interval, so a transaction after a quiet time does not
 * wait for one.
 *
 * A block without transactions can only shorten the interval. Without it a long interval would sustain itself: chunks that wait for it
 * leave the blocks between them empty, and no two blocks with transactions follow each other.
 */
import type { Clock } from '@slipstream/ports';

export interface BlockIntervalEstimator {
  recordBlock(hasTransactions: boolean): void;
  /** 0 before the second block. */
  readonly intervalMs: number;
}

/** Weight of a new interval: a few blocks decide. */
const SMOOTHING = 1 / 4;
/** A longer pause is a stall of the chain. */
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
