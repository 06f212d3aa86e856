/**
 * How late messages arrive, and how far the node's clock is from this machine's.
 *
 * A message is never sooner here than it was sent: the least difference is the clocks', what is above it is the way. Measured by a clock that
 * nobody sets. A node whose clock was set back says an earlier time than before: then what was measured is forgotten. Clocks also drift
 * apart, so what was measured may be that much larger as time goes on.
 */

export interface Lag {
  /** This machine's clock minus the node's. */
  readonly skewMs: number;
  /** How late the newest message came. */
  readonly lateMs: number;
}

export interface LagMeter {
  /** Of a message that comes now and says when it was sent. */
  measure(sentMs: number): Lag;
  /** Another run of the node: its clock may have been set. */
  forget(): void;
}

/** Bound of the drift of an unsynchronized clock; a delay of one second is still detected after fifteen minutes. */
const DRIFT_MAX = 1e-3;
/** A state is sent later than the first events after it were. */
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
