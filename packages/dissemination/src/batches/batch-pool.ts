/**
 * Batch pool: batches that brokers offered to this producer, and what became of them.
 *
 *   offered, valid --> waiting --packed--> in an own chunk --committed--> gone, remembered until its expiry
 *                         ^----- chunk expired without a block --/
 *
 * First in, first out. A batch is of one epoch (Z2), so a move drops what waits: its broker makes another.
 */
import type { PeerKey } from '@slipstream/ports';
import { toHex } from '@slipstream/primitives';
import { type Epoch, TRANSACTION_LIFE_MS_MAX } from '@slipstream/types';
import type { StoredChunk } from '../chunks/stored-chunk.ts';
import type { DisseminationLimits } from '../limits.ts';
import type { StoredBatch } from './stored-batch.ts';

export type BatchPlace = 'waiting' | 'chunk' | 'chain';

export interface BatchPool {
  readonly count: number;
  readonly bytes: number;
  /** Monotonic; undefined: none waits. */
  readonly oldestSinceMs: number | undefined;
  /** By its bytes; `chain`: in a committed block, or one of its id ran. */
  placeOf(batch: StoredBatch): BatchPlace | undefined;
  /** Half of the room is for the own broker alone: strangers cannot fill it. */
  roomFor(batch: StoredBatch, isOwn: boolean): 'queue-full' | 'broker-limit' | undefined;
  add(batch: StoredBatch): void;
  /** Oldest first. */
  waiting(): Iterable<StoredBatch>;
  /** Into an own chunk. */
  packed(batches: readonly StoredBatch[]): void;
  /** Of a committed block; `skippedIds`: hex, of those that it skipped. */
  committed(batches: readonly StoredBatch[], block: { timestampMs: number; skippedIds: ReadonlySet<string> }): void;
  /** An own chunk is gone: what no block has waits again. */
  ownChunkGone(chunk: Pick<StoredChunk, 'batches'>): void;
  /** No block from this timestamp on may run them. */
  expire(timestampMs: number): void;
  moved(): void;
}

interface BatchPoolParts {
  monotonicMs(): number;
  epoch(): Epoch;
}

export function createBatchPool(
  { monotonicMs, epoch }: BatchPoolParts,
  limits: Pick<DisseminationLimits, 'batchesMax' | 'batchBytesMax' | 'brokerBatchesMax'>,
): BatchPool {
  const waiting = new Map<string, { readonly batch: StoredBatch; readonly sinceMs: number }>();
  const inChunk = new Set<string>();
  /**
   * Expiry by batch id of one that ran, by key of one that was skipped: a copy with a false aggregate must not stop the true one. Bounded by
   * the batches of committed blocks, 60 s of block time.
   */
  const onChain = new Map<string, number>();
  const ofBroker = new Map<PeerKey, number>();
  let bytes = 0;
  let nowMs = 0;

  const isOnChain = ({ batchId, key }: StoredBatch) => onChain.has(toHex(batchId)) || onChain.has(key);

  function add(batch: StoredBatch): void {
    if (waiting.has(batch.key)) return;
    // A view would keep the memory around it.
    waiting.set(batch.key, { batch: { ...batch, bytes: batch.bytes.slice() }, sinceMs: monotonicMs() });
    count(batch, 1);
  }

  function remove(batch: StoredBatch): void {
    if (waiting.delete(batch.key)) count(batch, -1);
  }

  function count({ broker, bytes: { length } }: StoredBatch, sign: 1 | -1): void {
    bytes += sign * length;
    const left = (ofBroker.get(broker) ?? 0) + sign;
    if (left === 0) ofBroker.delete(broker);
    else ofBroker.set(broker, left);
  }

  function removeWhere(isOver: (batch: StoredBatch) => boolean): void {
    for (const { batch } of [...waiting.values()]) if (isOver(batch)) remove(batch);
  }

  return {
    get count() {
      return waiting.size;
    },
    get bytes() {
      return bytes;
    },
    get oldestSinceMs() {
      for (const { sinceMs } of waiting.values()) return sinceMs;
      return undefined;
    },
    placeOf(batch) {
      if (isOnChain(batch)) return 'chain';
      if (waiting.has(batch.key)) return 'waiting';
      return inChunk.has(batch.key) ? 'chunk' : undefined;
    },
    roomFor({ broker, bytes: { length } }, isOwn) {
      const share = isOwn ? 1 : 1 / 2;
      const isFull = waiting.size >= share * limits.batchesMax || bytes + length > share * limits.batchBytesMax;
      if (isFull) return 'queue-full';
      return (ofBroker.get(broker) ?? 0) >= limits.brokerBatchesMax ? 'broker-limit' : undefined;
    },
    add,
    *waiting() {
      for (const { batch } of waiting.values()) yield batch;
    },
    packed(batches) {
      for (const batch of batches) {
        remove(batch);
        inChunk.add(batch.key);
      }
    },
    committed(batches, { timestampMs, skippedIds }) {
      // The expiry of a skipped one may be far off.
      const untilMs = timestampMs + TRANSACTION_LIFE_MS_MAX;
      for (const { batchId, key, expiryMs } of batches) {
        const id = toHex(batchId);
        onChain.set(skippedIds.has(id) ? key : id, Math.min(expiryMs, untilMs));
      }
      removeWhere(isOnChain);
    },
    ownChunkGone({ batches }) {
      for (const batch of batches) {
        inChunk.delete(batch.key);
        const isOver = batch.expiryMs <= nowMs || batch.epoch !== epoch() || isOnChain(batch);
        if (!isOver) add(batch);
      }
    },
    expire(timestampMs) {
      nowMs = timestampMs;
      removeWhere(({ expiryMs }) => expiryMs <= timestampMs);
      for (const [name, expiryMs] of onChain) if (expiryMs <= timestampMs) onChain.delete(name);
    },
    moved: () => removeWhere((batch) => batch.epoch !== epoch()),
  };
}
