/** The core's only timer. After every event the core requests a time, mostly the same as before. */
import type { Clock } from '@slipstream/ports';

export interface WakeUp {
  /** Monotonic; Infinity: no wake-up. Replaces the previous request. */
  at(atMs: number): void;
  cancel(): void;
}

const NEVER = Number.POSITIVE_INFINITY;

export function createWakeUp(clock: Clock, wake: () => void): WakeUp {
  let dueMs = NEVER;
  let stop = () => {};

  function fire(): void {
    dueMs = NEVER;
    wake();
  }

  function at(atMs: number): void {
    if (atMs === dueMs) return;
    stop();
    stop = () => {};
    dueMs = atMs;
    if (atMs !== NEVER) stop = clock.after(Math.max(0, atMs - clock.monotonicMs()), fire);
  }

  return { at, cancel: () => at(NEVER) };
}
