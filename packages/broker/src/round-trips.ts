/** Times from a header to its share: how long the next batch waits. */
import type { Session } from './components.ts';
import { SHARE_WAIT_MARGIN_MS, SHARE_WAIT_MS_MAX, SHARE_WAIT_MS_MIN } from './limits.ts';

/** Of the sessions that shared last. */
const SAMPLES_MAX = 256;
/** Before there is a sample: clients of other continents. */
const FIRST_MS = 200;

export interface RoundTrips {
  /** Late shares too, or the time could only fall. A session counts once, with its newest share. */
  record(session: Session, tookMs: number): void;
  p95(): number;
  /** Two of them, and a margin (Q6). */
  shareWaitMs(): number;
}

export function createRoundTrips(): RoundTrips {
  /** Newest last. */
  const samples = new Map<Session, number>();

  function p95(): number {
    if (samples.size === 0) return FIRST_MS;
    const sorted = [...samples.values()].sort((a, b) => a - b);
    return sorted[Math.min(sorted.length - 1, Math.floor(0.95 * sorted.length))] as number;
  }

  return {
    record(session, tookMs) {
      samples.delete(session);
      samples.set(session, tookMs);
      if (samples.size > SAMPLES_MAX) samples.delete(samples.keys().next().value as Session);
    },
    p95,
    shareWaitMs: () => Math.min(SHARE_WAIT_MS_MAX, Math.max(SHARE_WAIT_MS_MIN, 2 * p95() + SHARE_WAIT_MARGIN_MS)),
  };
}
