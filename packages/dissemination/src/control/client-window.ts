/**
 * Client window: how many transactions of its clients a node has on their way to a block at once. Additive increase, multiplicative
 * decrease, by how long the last ones took.
 *
 *   accepted ---- on their way, at most `size` ----> in a committed block, after so many ms
 *                        ^--- soon, and the window was used: larger by a fifth for each round
 *                             every block late for a target time: 0.7 of it
 *
 * A queue bounded in number is bounded in time only if the number follows the rate. When the chain is slow the window shrinks and clients
 * are refused when they ask, while accepted transactions still end within about the target.
 *
 * One late block is no reason to shrink: after a pause of the chain the next block commits what waited, and the one after that is on
 * time. A window that is too large makes all blocks late. Pauses far apart do not add up.
 *
 * Sources: V. Jacobson, "Congestion Avoidance and Control", 1988; K. Nichols, V. Jacobson, "Controlling Queue Delay", 2012.
 */
import type { Clock } from '@slipstream/ports';
import type { DisseminationLimits } from '../limits.ts';

export interface ClientWindow {
  /** Whether so many more may be accepted. */
  hasRoom(count: number): boolean;
  accept(): void;
  /** One of them left the pool without a block. */
  dropped(): void;
  /** A block committed transactions of these ages. */
  committed(agesMs: readonly number[]): void;
  readonly size: number;
  readonly inFlight: number;
}

/** For each committed transaction: the window grows by this share of itself in the time that one takes. */
const INCREASE = 0.2;
/** Until the window was too large for the first time: it doubles. */
const FIRST_INCREASE = 1;
const DECREASE = 0.7;
/** Of the target: between this and the target the window stays. */
const SOON_SHARE = 0.75;
/** Of the target: late blocks further apart are separate pauses. */
const APART_FACTOR = 10;
/** The window grows only while it is used: an idle hour must not open it. */
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
  /** Since when every block was late, and when the last of them came. */
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
    hasRoom: (count) => inFlight + count <= size,
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
