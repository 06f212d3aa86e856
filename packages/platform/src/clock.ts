import type { Clock } from '@slipstream/ports';

/** Node's timers fire at once above 2^31 - 1 ms. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** Timers never fire early, unlike Node's, which may by up to a millisecond. */
export function createClock(): Clock {
  function after(delayMs: number, action: () => void): () => void {
    const dueMs = performance.now() + Math.max(0, delayMs);
    let timer = arm();

    function arm(): NodeJS.Timeout {
      const remainingMs = Math.ceil(dueMs - performance.now());
      return setTimeout(fire, Math.min(Math.max(0, remainingMs), TIMER_MS_MAX));
    }

    function fire(): void {
      if (performance.now() >= dueMs) action();
      else timer = arm();
    }

    return () => clearTimeout(timer);
  }

  return { wallMs: () => Date.now(), monotonicMs: () => performance.now(), after };
}
