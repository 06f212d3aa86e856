/**
 * Block rhythm: how far apart blocks with transactions are committed here lately.
 *
 *   committed, committed, committed --> intervalMs --> how often chunks are made, how long forwarded transactions gather
 *
 * Chunks, their certificates and forwarded transactions cost every node the same whatever is in them, and all that comes between
 * two blocks ends in the second one: made more often than blocks, they take from the transactions what they bring nobody. A chain
 * that is idle has no rhythm, so what comes after a quiet time is not held back by it.
 */
import type { Clock } from '@slipstream/ports';

export interface BlockRhythm {
  committed(hasTransactions: boolean): void;
  /** 0 before anything is known. */
  readonly intervalMs: number;
}

/** Weight of a new interval: a few blocks tell. */
const SMOOTHING = 1 / 4;
/** A longer pause says that the chain stood, and nothing about how it goes. */
const INTERVAL_MS_MAX = 2_000;

export function createBlockRhythm({ clock }: { readonly clock: Pick<Clock, 'monotonicMs'> }): BlockRhythm {
  let intervalMs = 0;
  /** Of the last block, if it had transactions. */
  let lastMs: number | undefined;

  return {
    committed(hasTransactions) {
      const nowMs = clock.monotonicMs();
      if (hasTransactions && lastMs !== undefined) {
        intervalMs += SMOOTHING * (Math.min(nowMs - lastMs, INTERVAL_MS_MAX) - intervalMs);
      }
      lastMs = hasTransactions ? nowMs : undefined;
    },
    get intervalMs() {
      return intervalMs;
    },
  };
}
