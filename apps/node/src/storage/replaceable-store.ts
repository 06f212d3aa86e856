/**
 * A store whose files are exchanged while its readers stay: between `detach` and `attach` each call rejects with ThreadError `paused`.
 */
import type { KeyValue } from '@slipstream/ports';
import { pausedError } from '../threads/errors.ts';

interface ReplaceableStore extends KeyValue {
  attach(store: KeyValue): void;
  /** Finishes the calls under way, then closes the store. Idempotent. */
  detach(): Promise<void>;
}

export function createReplaceableStore(): ReplaceableStore {
  const underWay = new Set<Promise<unknown>>();
  let store: KeyValue | undefined;

  async function call<T>(use: (store: KeyValue) => Promise<T>): Promise<T> {
    if (store === undefined) throw pausedError();
    const running = use(store);
    underWay.add(running);
    try {
      return await running;
    } finally {
      underWay.delete(running);
    }
  }

  async function detach(): Promise<void> {
    const closing = store;
    store = undefined;
    await Promise.allSettled(underWay);
    await closing?.close();
  }

  return {
    get: (key) => call((of) => of.get(key)),
    getMany: (keys) => call((of) => of.getMany(keys)),
    range: (range) => call((of) => of.range(range)),
    batch: (operations, options) => call((of) => of.batch(operations, options)),
    attach(given) {
      store = given;
    },
    detach,
    close: detach,
  };
}
