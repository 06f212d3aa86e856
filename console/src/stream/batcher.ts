/** Sends the first change at once, later ones together, never more often than the interval. */

export interface Timers {
  /** ms since 1970; the clock may be set. */
  now(): number;
  /** ms. */
  monotonic(): number;
  /** Calls back once; the result cancels it. */
  after(ms: number, callback: () => void): () => void;
}

export interface Batcher {
  touch(): void;
  setInterval(ms: number): void;
  stop(): void;
}

export function createBatcher(timers: Timers, flush: () => void, intervalMs: number): Batcher {
  let lastMs = Number.NEGATIVE_INFINITY;
  let cancel: (() => void) | undefined;
  let interval = intervalMs;

  function run(): void {
    cancel = undefined;
    lastMs = timers.monotonic();
    flush();
  }

  function touch(): void {
    if (cancel !== undefined) return;
    cancel = timers.after(Math.max(0, lastMs + interval - timers.monotonic()), run);
  }

  function stop(): void {
    cancel?.();
    cancel = undefined;
  }

  function setInterval(ms: number): void {
    interval = ms;
    if (cancel === undefined) return;
    stop();
    touch();
  }

  return { touch, setInterval, stop };
}
