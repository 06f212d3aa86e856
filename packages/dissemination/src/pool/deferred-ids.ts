/** Transactions that become ready after a delay, rounded up to sweeps. */

interface DeferredIds {
  add(id: string, dueMs: number): void;
  /** Removes what it returns. They may have left the pool. */
  takeDue(nowMs: number): readonly string[];
  readonly isEmpty: boolean;
  clear(): void;
}

export function createDeferredIds(sweepMs: number): DeferredIds {
  const bySweep = new Map<number, string[]>();

  return {
    add(id, dueMs) {
      const sweep = Math.ceil(dueMs / sweepMs);
      const ids = bySweep.get(sweep);
      if (ids) ids.push(id);
      else bySweep.set(sweep, [id]);
    },
    takeDue(nowMs) {
      const now = Math.floor(nowMs / sweepMs);
      const due = [...bySweep].filter(([sweep]) => sweep <= now);
      for (const [sweep] of due) bySweep.delete(sweep);
      return due.flatMap(([, ids]) => ids);
    },
    get isEmpty() {
      return bySweep.size === 0;
    },
    clear: () => bySweep.clear(),
  };
}
