/**
 * Ready queue: which transactions of the pool this validator may pack now.
 *
 *   here is its home ----------------------------------> ready --packed--> in a chunk --committed--> gone
 *   elsewhere, this long without a chunk --deferred--> /     ^----------- expired unreferenced --/
 *
 * A transaction that is in a pending chunk, whoever made it, is not packed again until that chunk is gone. Only what the chunk
 * holds with a good signature counts: else a hostile producer could keep a transaction out by packing it with a bad one.
 */
import type { Clock } from '@slipstream/ports';
import type { Mempool, PoolTransaction } from './mempool.ts';

export interface ReadyQueue {
  /** A transaction of the pool; 0: its home is here. */
  add(entry: PoolTransaction, packAfterMs: number): void;
  remove(id: string): void;
  /** A pending chunk holds these, with good signatures. */
  enclose(chunk: string, ids: readonly string[]): void;
  /** The chunk is committed or gone: what is still in the pool may be packed again. */
  release(chunk: string): void;
  isEnclosed(id: string): boolean;
  /** Oldest first. */
  entries(): Iterable<PoolTransaction>;
  readonly count: number;
  readonly bytes: number;
  /** Since when the oldest has been ready, monotonic; undefined when nothing is. */
  readonly oldestSinceMs: number | undefined;
  stop(): void;
}

interface Ready {
  readonly entry: PoolTransaction;
  readonly sinceMs: number;
}

/** Deferred transactions become ready by the quarter of a second. */
const SWEEP_MS = 250;

export function createReadyQueue(
  { clock, pool }: { readonly clock: Clock; readonly pool: Pick<Mempool, 'get'> },
  onReady: () => void,
): ReadyQueue {
  const ready = new Map<string, Ready>();
  const enclosed = new Map<string, number>();
  const idsOfChunk = new Map<string, readonly string[]>();
  /** Ids by the sweep at which they become ready. Those that have left the pool by then are passed over. */
  const deferred = new Map<number, string[]>();
  let bytes = 0;
  let cancelSweep: (() => void) | undefined;

  function makeReady(entry: PoolTransaction): void {
    if (enclosed.has(entry.id) || ready.has(entry.id)) return;
    ready.set(entry.id, { entry, sinceMs: clock.monotonicMs() });
    bytes += entry.prepared.bytes.length;
  }

  function remove(id: string): void {
    const known = ready.get(id);
    if (known === undefined) return;
    ready.delete(id);
    bytes -= known.entry.prepared.bytes.length;
  }

  function defer(id: string, delayMs: number): void {
    const at = Math.ceil((clock.monotonicMs() + delayMs) / SWEEP_MS);
    const due = deferred.get(at);
    if (due) due.push(id);
    else deferred.set(at, [id]);
    cancelSweep ??= clock.after(SWEEP_MS, sweep);
  }

  function sweep(): void {
    const now = Math.floor(clock.monotonicMs() / SWEEP_MS);
    for (const [at, ids] of deferred) {
      if (at > now) continue;
      deferred.delete(at);
      for (const id of ids) {
        const entry = pool.get(id);
        if (entry) makeReady(entry);
      }
    }
    cancelSweep = deferred.size > 0 ? clock.after(SWEEP_MS, sweep) : undefined;
    if (ready.size > 0) onReady();
  }

  return {
    add(entry, packAfterMs) {
      if (packAfterMs > 0) return defer(entry.id, packAfterMs);
      makeReady(entry);
      onReady();
    },
    remove,
    enclose(chunk, ids) {
      if (idsOfChunk.has(chunk)) return;
      idsOfChunk.set(chunk, ids);
      for (const id of ids) {
        enclosed.set(id, (enclosed.get(id) ?? 0) + 1);
        remove(id);
      }
    },
    release(chunk) {
      const ids = idsOfChunk.get(chunk);
      idsOfChunk.delete(chunk);
      for (const id of ids ?? []) {
        const left = (enclosed.get(id) ?? 1) - 1;
        if (left > 0) {
          enclosed.set(id, left);
          continue;
        }
        enclosed.delete(id);
        const entry = pool.get(id);
        if (entry) makeReady(entry);
      }
      if (ready.size > 0) onReady();
    },
    isEnclosed: (id) => enclosed.has(id),
    *entries() {
      for (const { entry } of ready.values()) yield entry;
    },
    get count() {
      return ready.size;
    },
    get bytes() {
      return bytes;
    },
    get oldestSinceMs() {
      for (const { sinceMs } of ready.values()) return sinceMs;
      return undefined;
    },
    stop() {
      cancelSweep?.();
      deferred.clear();
    },
  };
}
