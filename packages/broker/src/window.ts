/**
 * Window: rows that will share a batch (Q4).
 *
 *   rows --> 50 ms after the last, 250 ms after the first, at once with 1,000 --> batch of at most 8,192
 *            \-- but 250 ms after the window before, unless it is full
 */
import { BATCH_ROWS_MAX } from '@slipstream/distilled';
import type { Clock } from '@slipstream/ports';
import { WINDOW_APART_MS, WINDOW_IDLE_MS, WINDOW_MS_MAX, WINDOW_ROWS } from './limits.ts';
import type { RowEntry } from './row-entry.ts';

export interface Window {
  add(entry: RowEntry): void;
  /** Rows that wait; none is passed on any more. */
  stop(): readonly RowEntry[];
  readonly rows: number;
}

export function createWindow(clock: Clock, ended: (entries: readonly RowEntry[]) => void): Window {
  let entries: RowEntry[] = [];
  let [firstMs, lastMs] = [0, 0];
  let endedMs = Number.NEGATIVE_INFINITY;
  let cancel = () => {};

  function end(): void {
    cancel();
    const gathered = entries;
    entries = [];
    endedMs = clock.monotonicMs();
    if (gathered.length > 0) ended(gathered);
  }

  function dueMs(): number {
    const isLarge = entries.length >= WINDOW_ROWS;
    const quietMs = isLarge ? 0 : Math.min(firstMs + WINDOW_MS_MAX, lastMs + WINDOW_IDLE_MS);
    return Math.max(quietMs, endedMs + WINDOW_APART_MS) - clock.monotonicMs();
  }

  function check(): void {
    if (dueMs() <= 0) end();
    else arm();
  }

  function arm(): void {
    cancel();
    cancel = clock.after(Math.max(0, dueMs()), check);
  }

  return {
    add(entry) {
      lastMs = clock.monotonicMs();
      if (entries.length === 0) firstMs = lastMs;
      entries.push(entry);
      if (entries.length >= BATCH_ROWS_MAX) return end();
      // By a timer in any case: the other rows of the message come along.
      if (entries.length === 1 || entries.length === WINDOW_ROWS) arm();
    },
    stop() {
      cancel();
      const left = entries;
      entries = [];
      return left;
    },
    get rows() {
      return entries.length;
    },
  };
}
