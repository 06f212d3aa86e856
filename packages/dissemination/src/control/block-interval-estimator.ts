/**
 * Block rhythm: how far apart blocks are committed here lately, while they have transactions.
 *
 *   committed, committed, committed --> intervalMs --> how often chunks are made, how long forwarded transactions gather
 *
 * Chunks, their certificates and forwarded transactions cost every node the same whatever is in them, and all that comes between
 * two blocks ends in the second one: made more often than blocks, they take from the transactions what they bring nobody. A chain
 * that is idle has no rhythm, so what comes after a quiet time is not held back by it.
 *
 * A block without transactions tells only that blocks come more often. Without its word a rhythm would keep itself: chunks that wait for
 * it leave the blocks between them empty, and then no two with transactions follow each other.
 */
import type { Clock } from '@slipstream/ports';

export interface BlockIntervalEstimator {
  recordBlock(hasTransactions: boolean): void;
  /** 0 before anything is known. */
  readonly intervalMs: number;
}

/** Weight of a new interval: a few blocks tell. */
const SMOOTHING = 1 / 4;
/** A longer pause says that the chain stood, and nothing about how it goes. */
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
