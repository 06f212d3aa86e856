/** A key-value store that may lose its newest unsynced batches at a crash. As in LevelDB, a synced batch makes all earlier ones durable. */
import {
  DiskError,
  type DiskErrorCode,
  type KeyRange,
  type KeyValue,
  type KeyValueEntry,
  type KeyValueOperation,
} from '@slipstream/ports';
import type { CrashMode } from './crash.ts';
import { createLifetime, type Lifetime } from './lifetime.ts';
import type { SeededRandom } from './random.ts';

interface SimKeyValueOptions {
  readonly random: SeededRandom;
  /** Virtual. Default: none. */
  readonly latencyMs?: (batch: BatchCall) => number;
  readonly schedule?: (delayMs: number, action: () => void) => void;
  readonly observe?: (batch: BatchCall) => void;
}

interface BatchCall {
  /** From 1 over the store's life. */
  readonly index: number;
  readonly operations: number;
  readonly synced: boolean;
}

export interface SimKeyValue {
  /** For one process. */
  mount(lifetime?: Lifetime): KeyValue;
  crash(mode: CrashMode): void;
  /** A failed batch changes nothing. */
  failWhen(fault: ((batch: BatchCall) => DiskErrorCode | undefined) | undefined): void;
  readonly size: number;
  /** A power cut may lose something. */
  readonly hasUnsynced: boolean;
}

/** The earlier values of a batch's keys, oldest first. */
type Undo = readonly { readonly key: string; readonly before: Uint8Array | undefined }[];

export function createSimKeyValue({ random, latencyMs, schedule, observe }: SimKeyValueOptions): SimKeyValue {
  const values = new Map<string, Uint8Array>();
  /** Sorted. */
  const keys: string[] = [];
  let unsynced: Undo[] = [];
  let batches = 0;
  let fault: ((batch: BatchCall) => DiskErrorCode | undefined) | undefined;

  function set(key: string, value: Uint8Array | undefined): void {
    const known = values.has(key);
    if (value !== undefined) values.set(key, value);
    else values.delete(key);
    const at = lowerBound(keys, key);
    if (value !== undefined && !known) keys.splice(at, 0, key);
    if (value === undefined && known) keys.splice(at, 1);
  }

  function applyBatch(operations: readonly KeyValueOperation[]): Undo {
    return operations.map((operation) => {
      const key = textOf(operation.key);
      const before = values.get(key);
      set(key, operation.type === 'put' ? operation.value.slice() : undefined);
      return { key, before };
    });
  }

  function range({ from, to, limit, reverse = false }: KeyRange): readonly KeyValueEntry[] {
    const start = lowerBound(keys, textOf(from));
    const end = Math.max(start, lowerBound(keys, textOf(to)));
    const picked = reverse
      ? keys.slice(Math.max(start, end - limit), end).reverse()
      : keys.slice(start, Math.min(end, start + limit));
    return picked.map((key) => ({ key: bytesOf(key), value: (values.get(key) as Uint8Array).slice() }));
  }

  function mount(lifetime: Lifetime = createLifetime()): KeyValue {
    let open = true;

    function refuseWhenClosed(): void {
      if (!open) throw new DiskError('closed', 'the store is closed');
    }

    /** Never settles once the process has died. */
    async function answer<T>(read: () => T): Promise<T> {
      if (!lifetime.alive) return new Promise<never>(() => {});
      refuseWhenClosed();
      return read();
    }

    function batch(operations: readonly KeyValueOperation[], { sync = false } = {}): Promise<void> {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      if (!lifetime.alive) return promise;
      const call: BatchCall = { index: ++batches, operations: operations.length, synced: sync };
      observe?.(call);
      const code = open ? fault?.(call) : 'closed';
      if (code !== undefined) {
        reject(new DiskError(code, `a batch failed: ${code}`));
        return promise;
      }
      const undo = applyBatch(operations);
      unsynced.push(undo);
      const finish = () => {
        if (!lifetime.alive) return;
        if (sync) unsynced = unsynced.slice(unsynced.indexOf(undo) + 1);
        resolve();
      };
      const delayMs = latencyMs?.(call) ?? 0;
      if (schedule === undefined || delayMs <= 0) finish();
      else schedule(delayMs, finish);
      return promise;
    }

    return {
      get: (key) => answer(() => values.get(textOf(key))?.slice()),
      getMany: (many) => answer(() => many.map((key) => values.get(textOf(key))?.slice())),
      batch,
      range: (wanted) => answer(() => range(wanted)),
      async close() {
        open = false;
      },
    };
  }

  function crash(mode: CrashMode): void {
    if (mode === 'lose-none') return;
    const kept = mode === 'lose-all' ? 0 : random.below(unsynced.length + 1);
    for (const undo of unsynced.slice(kept).reverse()) {
      for (const { key, before } of [...undo].reverse()) set(key, before);
    }
    unsynced = [];
  }

  return {
    mount,
    crash,
    failWhen(next) {
      fault = next;
    },
    get hasUnsynced() {
      return unsynced.length > 0;
    },
    get size() {
      return values.size;
    },
  };
}

/** One character per byte: strings compare as the bytes do. */
function textOf(key: Uint8Array): string {
  return String.fromCharCode(...key);
}

function bytesOf(text: string): Uint8Array {
  const key = new Uint8Array(text.length);
  for (let i = 0; i < key.length; i++) key[i] = text.charCodeAt(i);
  return key;
}

/** The first key not below `key`. */
function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((keys[middle] as string) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
