import type { Timers } from '../src/stream/batcher.ts';

export interface ManualTimers extends Timers {
  /** Runs timers that fall due on the way. */
  advance(ms: number): void;
}

export function manualTimers(startMs = 1_790_000_000_000): ManualTimers {
  let nowMs = startMs;
  let due: readonly { readonly atMs: number; readonly callback: () => void }[] = [];
  return {
    now: () => nowMs,
    monotonic: () => nowMs,
    after(ms, callback) {
      const entry = { atMs: nowMs + ms, callback };
      due = [...due, entry];
      return () => {
        due = due.filter((other) => other !== entry);
      };
    },
    advance(ms) {
      const endMs = nowMs + ms;
      for (;;) {
        const next = [...due].sort((a, b) => a.atMs - b.atMs)[0];
        if (next === undefined || next.atMs > endMs) break;
        due = due.filter((entry) => entry !== next);
        nowMs = Math.max(nowMs, next.atMs);
        next.callback();
      }
      nowMs = endMs;
    },
  };
}
