/**
 * Client window: how many client transactions a node has on their way to a block. Additive increase, multiplicative decrease, by recent
 * latency.
 *
 *   accepted ---- on their way, at most `size` ----> in a committed block, after so many ms
 *                        ^--- soon, and the window was used: larger by a fifth for each round
 *                             every block late for a target time: 0.7 of it
 *
 * On a slow chain the window shrinks and refuses clients at once, while accepted transactions still finish within about the target.
 *
 * One late block does not shrink it: after a pause the next block commits the backlog, and the following is on time. A window that is too
 * large makes all blocks late. Pauses far apart do not add up.
 *
 * Sources: V. Jacobson, "Congestion Avoidance and Control", 1988; K. Nichols, V. Jacobson, "Controlling Queue Delay", 2012.
 */
import type { Clock } from '@slipstream/ports';
import type { DisseminationLimits } from '../limits.ts';

export interface ClientWindow {
  hasCapacity(count: number): boolean;
  accept(): void;
  /** Of a block's transactions. */
  dropped(): void;
  committed(agesMs: readonly number[]): void;
  readonly size: number;
  readonly inFlight: number;
}

/** Growth per round of transactions. */
const INCREASE = 0.2;
/** Until the window was first too large: doubling. */
const FIRST_INCREASE = 1;
const DECREASE = 0.7;
/** Share of the target; between this and the target the window stays. */
const SOON_SHARE = 0.75;
/** Times the target; late blocks further apart are separate pauses. */
const APART_FACTOR = 10;
/** An idle hour must not open the window. */
const USED_SHARE = 0.5;

export function createClientWindow(
  { clock }: { readonly clock: Pick<Clock, 'monotonicMs'> },
  {
    clientWindowMin,
    clientWindowStart,
    poolTransactionsMax,
    clientTargetMs,
  }: Pick<DisseminationLimits, 'clientWindowMin' | 'clientWindowStart' | 'poolTransactionsMax' | 'clientTargetMs'>,
): ClientWindow {
  let size = clientWindowStart;
  let inFlight = 0;
  let increase = FIRST_INCREASE;
  /** Times of the first and the last late block of the current run. */
  let lateSinceMs: number | undefined;
  let lateMs = Number.NEGATIVE_INFINITY;

  function committed(agesMs: readonly number[]): void {
    if (agesMs.length === 0) return;
    const wasUsed = inFlight >= size * USED_SHARE;
    inFlight -= agesMs.length;
    const median = [...agesMs].sort((a, b) => a - b)[agesMs.length >> 1] as number;
    if (median <= clientTargetMs) {
      lateSinceMs = undefined;
      const isSoon = median <= clientTargetMs * SOON_SHARE;
      if (wasUsed && isSoon) size = Math.min(poolTransactionsMax, size + Math.ceil(agesMs.length * increase));
      return;
    }
    const nowMs = clock.monotonicMs();
    if (nowMs - lateMs > APART_FACTOR * clientTargetMs) lateSinceMs = undefined;
    lateMs = nowMs;
    lateSinceMs ??= nowMs;
    if (nowMs - lateSinceMs < clientTargetMs) return;
    lateSinceMs = nowMs;
    increase = INCREASE;
    size = Math.max(clientWindowMin, Math.floor(size * DECREASE));
  }

  return {
    hasCapacity: (count) => inFlight + count <= size,
    accept: () => void inFlight++,
    dropped: () => void inFlight--,
    committed,
    get size() {
      return size;
    },
    get inFlight() {
      return inFlight;
    },
  };
}
