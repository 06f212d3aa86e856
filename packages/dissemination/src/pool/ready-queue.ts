/**
 * Ready queue: which transactions of the pool this validator may pack now.
 *
 *   here is its home ----------------------------------> ready --packed--> in a chunk --committed--> gone
 *   elsewhere, this long without a chunk --deferred--> /     ^----------- expired unreferenced --/
 *
 * A transaction that is in a pending chunk, whoever made it, is not packed again until that chunk is gone. Only what the chunk
 * holds with a good signature counts: else a hostile producer could keep a transaction out by packing it with a bad one.
 *
 * Nor may it do so by packing it well and never showing a certificate: another's chunk that is neither certified nor in a block
 * after strandedMs encloses nothing any more, and no chunk of another's encloses again what it held. If it does find a block,
 * execution skips what comes twice.
 */
import type { Clock } from '@slipstream/ports';
import type { Units } from '@slipstream/types';
import type { DisseminationLimits } from '../limits.ts';
import { createFeeClassQueues, type FeeClassQueues } from './fee-classes.ts';
import type { Mempool } from './mempool.ts';
import type { PoolTransaction } from './pool-transaction.ts';

export interface ReadyQueue extends Pick<FeeClassQueues, 'offer' | 'countOf' | 'count' | 'oldestSinceMs'> {
  /** A transaction of the pool; 0: its home is here. */
  add(entry: PoolTransaction, packAfterMs: number): void;
  remove(id: string): void;
  /** A pending chunk holds these, with good signatures. `isOwn`: made here. */
  addChunk(chunk: string, ids: readonly string[], isOwn: boolean): void;
  /** The chunk is committed or gone: what is still in the pool may be packed again. */
  removeChunk(chunk: string): void;
  isInChunk(id: string): boolean;
  readonly bytes: number;
  stop(): void;
}

/** Deferred transactions become ready by the quarter of a second. */
const SWEEP_MS = 250;

export interface ReadyQueueParts {
  readonly clock: Clock;
  readonly pool: Pick<Mempool, 'get'>;
  /** The chunk has a certificate, which it keeps. */
  isCertified(chunk: string): boolean;
  /** A block that may become final has it, as far as is known now. */
  isReferenced(chunk: string): boolean;
  /** There is something to pack. */
  onReady(): void;
}

export function createReadyQueue(
  { clock, pool, isCertified, isReferenced, onReady }: ReadyQueueParts,
  { strandedMs, blockUnits }: Pick<DisseminationLimits, 'strandedMs'> & { readonly blockUnits: Units },
): ReadyQueue {
  const ready = createFeeClassQueues(blockUnits);
  const chunkCounts = new Map<string, number>();
  const idsOfChunk = new Map<string, readonly string[]>();
  /** Chunks of others that may turn out stranded, by when they came; oldest first. */
  const watched = new Map<string, number>();
  /** What a stranded chunk held, while the pool has it. */
  const freed = new Set<string>();
  /** Ids by the sweep at which they become ready. Those that have left the pool by then are passed over. */
  const deferred = new Map<number, string[]>();
  let bytes = 0;
  let cancelSweep: (() => void) | undefined;

  function makeReady(entry: PoolTransaction): void {
    if (chunkCounts.has(entry.id) || ready.has(entry.id)) return;
    ready.add(entry, clock.monotonicMs());
    bytes += entry.bytes.length;
  }

  function removeReady(id: string): void {
    const known = ready.remove(id);
    if (known !== undefined) bytes -= known.bytes.length;
  }

  function defer(id: string, delayMs: number): void {
    const at = Math.ceil((clock.monotonicMs() + delayMs) / SWEEP_MS);
    const due = deferred.get(at);
    if (due) due.push(id);
    else deferred.set(at, [id]);
    sweepSoon();
  }

  function sweepSoon(): void {
    cancelSweep ??= clock.after(SWEEP_MS, sweep);
  }

  function removeChunkEntry(chunk: string): void {
    const ids = idsOfChunk.get(chunk);
    idsOfChunk.delete(chunk);
    watched.delete(chunk);
    for (const id of ids ?? []) {
      const left = (chunkCounts.get(id) ?? 1) - 1;
      if (left > 0) {
        chunkCounts.set(id, left);
        continue;
      }
      chunkCounts.delete(id);
      const entry = pool.get(id);
      if (entry) makeReady(entry);
    }
  }

  function freeStranded(): void {
    const untilMs = clock.monotonicMs() - strandedMs;
    for (const [chunk, sinceMs] of watched) {
      if (sinceMs > untilMs) break;
      if (isCertified(chunk)) watched.delete(chunk);
      else if (!isReferenced(chunk)) {
        for (const id of idsOfChunk.get(chunk) ?? []) if (pool.get(id)) freed.add(id);
        removeChunkEntry(chunk);
      }
    }
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
    freeStranded();
    cancelSweep = undefined;
    if (deferred.size > 0 || watched.size > 0) sweepSoon();
    if (ready.count > 0) onReady();
  }

  return {
    add(entry, packAfterMs) {
      if (packAfterMs > 0) return defer(entry.id, packAfterMs);
      makeReady(entry);
      onReady();
    },
    remove(id) {
      removeReady(id);
      freed.delete(id);
    },
    addChunk(chunk, ids, isOwn) {
      if (idsOfChunk.has(chunk)) return;
      const held = isOwn || freed.size === 0 ? ids : ids.filter((id) => !freed.has(id));
      idsOfChunk.set(chunk, held);
      for (const id of held) {
        chunkCounts.set(id, (chunkCounts.get(id) ?? 0) + 1);
        removeReady(id);
      }
      if (isOwn) return;
      watched.set(chunk, clock.monotonicMs());
      sweepSoon();
    },
    removeChunk(chunk) {
      removeChunkEntry(chunk);
      if (ready.count > 0) onReady();
    },
    isInChunk: (id) => chunkCounts.has(id),
    offer: ready.offer,
    countOf: ready.countOf,
    get count() {
      return ready.count;
    },
    get bytes() {
      return bytes;
    },
    get oldestSinceMs() {
      return ready.oldestSinceMs;
    },
    stop() {
      cancelSweep?.();
      deferred.clear();
      watched.clear();
    },
  };
}
