import { applyBatch, type Batch, EMPTY, type Snapshot } from './snapshot.ts';

export interface Store {
  read(): Snapshot;
  apply(batch: Batch): void;
  /** Another node was selected. */
  clear(): void;
  /** The result ends the subscription. */
  subscribe(listener: () => void): () => void;
}

export function createStore(): Store {
  const listeners = new Set<() => void>();
  let snapshot = EMPTY;
  return {
    read: () => snapshot,
    apply(batch) {
      snapshot = applyBatch(snapshot, batch);
      for (const listener of listeners) listener();
    },
    clear() {
      snapshot = EMPTY;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
