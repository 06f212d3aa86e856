/** Rows that nothing but an older batch may still run: they go into no further batch, and wait for its end. */
import type { RowEntry } from './row-entry.ts';

interface OlderBatch {
  /** In no other batch. */
  readonly left: RowEntry[];
}

interface KeptRows<Batch> {
  /** They begin again, while it may still run. */
  replaced(entries: readonly RowEntry[], older: Batch): void;
  /** Each is left to its older batch, if that may run. Those of none. */
  keep(entries: readonly RowEntry[], mayRun: (older: Batch) => boolean): readonly RowEntry[];
  /** Their batch ended: they are open if an older batch had them. */
  release(entries: readonly RowEntry[]): void;
}

export function createKeptRows<Batch extends OlderBatch>(): KeptRows<Batch> {
  const olderOf = new WeakMap<RowEntry, Batch>();
  const kept = new WeakSet<RowEntry>();
  return {
    replaced(entries, older) {
      for (const entry of entries) olderOf.set(entry, older);
    },
    keep(entries, mayRun) {
      return entries.filter((entry) => {
        const older = olderOf.get(entry);
        if (older === undefined || !mayRun(older)) return true;
        older.left.push(entry);
        kept.add(entry);
        entry.isDone = true;
        return false;
      });
    },
    release(entries) {
      for (const entry of entries) if (kept.delete(entry)) entry.isDone = false;
    },
  };
}
