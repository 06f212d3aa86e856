/**
 * Window: rows that will share a batch (Q4).
 *
 *   rows --> 50 ms after the last, 250 ms after the first, at once with 1,000 --> batch of at most 8,192
 */
import { BATCH_ROWS_MAX } from '@slipstream/distilled';
import type { Clock } from '@slipstream/ports';
import { WINDOW_IDLE_MS, WINDOW_MS_MAX, WINDOW_ROWS } from './limits.ts';
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
  let cancel = () => {};

  function end(): void {
    cancel();
    const gathered = entries;
    entries = [];
    if (gathered.length > 0) ended(gathered);
  }

  function check(): void {
    const dueMs = Math.min(firstMs + WINDOW_MS_MAX, lastMs + WINDOW_IDLE_MS) - clock.monotonicMs();
    if (dueMs <= 0) end();
    else cancel = clock.after(dueMs, check);
  }

  return {
    add(entry) {
      lastMs = clock.monotonicMs();
      if (entries.length === 0) {
        firstMs = lastMs;
        cancel = clock.after(WINDOW_IDLE_MS, check);
      }
      entries.push(entry);
      if (entries.length >= BATCH_ROWS_MAX) return end();
      if (entries.length !== WINDOW_ROWS) return;
      // The other rows of the message come along.
      cancel();
      cancel = clock.after(0, end);
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
