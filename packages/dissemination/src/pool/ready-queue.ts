/**
 * Ready queue: pool transactions that this validator may pack now.
 *
 *   home is here -------------------------------------> ready --packed--> in a chunk --committed--> gone
 *   home is elsewhere: deferred, until no chunk has it -> /     ^----------- expired unreferenced --/
 *
 * A pending chunk excludes its transactions from packing. Two bounds keep a hostile producer from censoring so:
 * - Only transactions with a good signature in the chunk count.
 * - Another producer's chunk without certificate or block after STRANDED_MS stops counting, and no other producer's chunk excludes its
 *   transactions again. If a block takes it after all, execution skips the duplicates.
 */
import type { Clock } from '@slipstream/ports';
import { issuerFault, type Units } from '@slipstream/types';
import type { Certificates } from '../chunks/certificates.ts';
import type { Committees } from '../epochs/committees.ts';
import type { DisseminationEvents } from '../events.ts';
import { STRANDED_MS } from '../limits.ts';
import type { ChunkReferences } from '../proposals/chunk-references.ts';
import { createChunksOfIds } from './chunks-of-ids.ts';
import { createDeferredIds } from './deferred-ids.ts';
import { createFeeClassQueues, type FeeClassQueues } from './fee-classes.ts';
import type { Mempool } from './mempool.ts';
import type { PoolTransaction } from './pool-transaction.ts';

export interface ReadyQueue extends Pick<FeeClassQueues, 'offer' | 'countOf' | 'count' | 'oldestSinceMs'> {
  /** `packAfterMs` 0: the home is here. */
  add(entry: PoolTransaction, packAfterMs: number): void;
  remove(id: string): void;
  /** `ids`: those with good signatures in a pending chunk. */
  addChunk(chunk: string, ids: readonly string[], isOwn: boolean): void;
  /** Committed or expired: what the pool still has may be packed again. */
  removeChunk(chunk: string): void;
  isInChunk(id: string): boolean;
  /** Pending chunks that exclude it from packing. */
  chunksOf(id: string): readonly string[];
  readonly bytes: number;
  /** Nothing is ready any more: this node makes no chunks. */
  clear(): void;
  stop(): void;
}

/** Granularity of deferral and stranding. */
const SWEEP_MS = 250;

interface ReadyQueueParts {
  readonly clock: Clock;
  readonly pool: Pick<Mempool, 'get'>;
  readonly certificates: Pick<Certificates, 'of'>;
  readonly references: Pick<ChunkReferences, 'isReferenced'>;
  readonly events: Pick<DisseminationEvents, 'readyToPack'>;
  readonly committees: Pick<Committees, 'current' | 'recordOf'>;
}

export function createReadyQueue(
  { clock, pool, certificates, references, events, committees }: ReadyQueueParts,
  blockUnits: () => Units,
): ReadyQueue {
  const ready = createFeeClassQueues(blockUnits);
  const chunksOfIds = createChunksOfIds();
  const idsOfChunk = new Map<string, readonly string[]>();
  /** Other producers' chunks that may strand, by arrival; oldest first. */
  const strandable = new Map<string, number>();
  /** Pooled transactions of stranded chunks. */
  const idsOfStranded = new Set<string>();
  const deferred = createDeferredIds(SWEEP_MS);
  let bytes = 0;
  let cancelSweep: (() => void) | undefined;

  /** A chunk of an earlier epoch may have had it. */
  function isOfThisEpoch({ issuer }: PoolTransaction): boolean {
    return issuer === undefined || !issuerFault(issuer, committees.recordOf(committees.current.epoch));
  }

  function makeReady(entry: PoolTransaction | undefined): void {
    if (entry === undefined || chunksOfIds.has(entry.id) || ready.has(entry.id) || !isOfThisEpoch(entry)) return;
    ready.add(entry, clock.monotonicMs());
    bytes += entry.bytes.length;
  }

  function removeReady(id: string): void {
    const known = ready.remove(id);
    if (known !== undefined) bytes -= known.bytes.length;
  }

  function sweepSoon(): void {
    cancelSweep ??= clock.after(SWEEP_MS, sweep);
  }

  function removeChunkEntry(chunk: string): void {
    const ids = idsOfChunk.get(chunk);
    idsOfChunk.delete(chunk);
    strandable.delete(chunk);
    for (const id of ids ?? []) {
      if (chunksOfIds.remove(id, chunk)) makeReady(pool.get(id));
    }
  }

  function freeStranded(): void {
    const untilMs = clock.monotonicMs() - STRANDED_MS;
    for (const [chunk, sinceMs] of strandable) {
      if (sinceMs > untilMs) break;
      if (certificates.of(chunk)) strandable.delete(chunk);
      else if (!references.isReferenced(chunk)) {
        for (const id of idsOfChunk.get(chunk) ?? []) if (pool.get(id)) idsOfStranded.add(id);
        removeChunkEntry(chunk);
      }
    }
  }

  function sweep(): void {
    for (const id of deferred.takeDue(clock.monotonicMs())) makeReady(pool.get(id));
    freeStranded();
    cancelSweep = undefined;
    if (!deferred.isEmpty || strandable.size > 0) sweepSoon();
    if (ready.count > 0) events.readyToPack();
  }

  return {
    add(entry, packAfterMs) {
      if (packAfterMs > 0) {
        deferred.add(entry.id, clock.monotonicMs() + packAfterMs);
        sweepSoon();
        return;
      }
      makeReady(entry);
      events.readyToPack();
    },
    remove(id) {
      removeReady(id);
      idsOfStranded.delete(id);
    },
    addChunk(chunk, ids, isOwn) {
      if (idsOfChunk.has(chunk)) return;
      const held = isOwn || idsOfStranded.size === 0 ? ids : ids.filter((id) => !idsOfStranded.has(id));
      idsOfChunk.set(chunk, held);
      for (const id of held) {
        chunksOfIds.add(id, chunk);
        removeReady(id);
      }
      if (isOwn) return;
      strandable.set(chunk, clock.monotonicMs());
      sweepSoon();
    },
    removeChunk(chunk) {
      removeChunkEntry(chunk);
      if (ready.count > 0) events.readyToPack();
    },
    isInChunk: chunksOfIds.has,
    chunksOf: chunksOfIds.of,
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
    clear() {
      ready.clear();
      bytes = 0;
      deferred.clear();
    },
    stop() {
      cancelSweep?.();
      deferred.clear();
      strandable.clear();
    },
  };
}
