/**
 * Delay of messages, and the difference between the node's clock and this machine's.
 *
 * A message cannot arrive before it was sent, so the least difference is that of the clocks, and the excess is delay. When a node reports
 * an earlier time than before, its clock was set, and the measurements are forgotten. Clocks drift, so the least difference may grow.
 */

interface Lag {
  /** This machine's clock minus the node's. */
  readonly skewMs: number;
  /** Of the newest message. */
  readonly lateMs: number;
}

export interface LagMeter {
  /** Call when a message arrives. */
  measure(sentMs: number): Lag;
  /** After a restart of the node, whose clock may have been set. */
  forget(): void;
}

/** The most that an unsynchronized clock drifts; a delay of one second is still detected after fifteen minutes. */
const DRIFT_MAX = 1e-3;
/** A state may be sent later than the first events after it. */
const DISORDER_MS = 2_000;

export function createLagMeter(clocks: { now(): number; monotonic(): number }): LagMeter {
  let least: { readonly differenceMs: number; readonly atMs: number } | undefined;
  let newestMs = Number.NEGATIVE_INFINITY;

  function forget(): void {
    least = undefined;
    newestMs = Number.NEGATIVE_INFINITY;
  }

  return {
    measure(sentMs) {
      if (sentMs < newestMs - DISORDER_MS) forget();
      newestMs = Math.max(newestMs, sentMs);
      const atMs = clocks.monotonic();
      const here = atMs - sentMs;
      const before = least && least.differenceMs + DRIFT_MAX * (atMs - least.atMs);
      const differenceMs = before === undefined ? here : Math.min(before, here);
      least = { differenceMs, atMs };
      return { skewMs: Math.round(clocks.now() - atMs + differenceMs), lateMs: here - differenceMs };
    },
    forget,
  };
}
