/**
 * Packer: when this validator makes a chunk.
 *
 *   something ready --chunkDelayMs, and an interval of the rate controller after the last chunk--> build --> certifier
 *                   \--chunkBytes gathered: at once
 *
 * A transaction that is too large for a chunk beside others has one of its own: one in an interval, besides the usual one, so that the others
 * do not wait for it.
 *
 * It pauses while too many own chunks are uncertified, or pending ones fill their quota. Then larger chunks gather, and intake refuses
 * clients. A node that is no member of the epoch makes none.
 */
import type { Clock } from '@slipstream/ports';
import { addUnits, CHUNK_BYTES_MAX, type Units } from '@slipstream/types';
import type { BatchPool } from '../batches/batch-pool.ts';
import { BODY_BYTES, selectBatches } from '../batches/select-batches.ts';
import type { ChunkRateController } from '../control/chunk-rate-controller.ts';
import type { DisseminationLimits } from '../limits.ts';
import type { ReadyQueue } from '../pool/ready-queue.ts';
import { type ChunkBuilder, type ChunkSelection, exceeds, selectTransactions } from './chunk-builder.ts';

export interface Packer {
  /** After a chunk is certified or gone. */
  schedule(): void;
  /** After one more transaction or batch is ready. */
  added(): void;
  flush(): Promise<void>;
  stop(): void;
}

interface PackerParts {
  readonly clock: Clock;
  readonly ready: ReadyQueue;
  readonly batches: BatchPool;
  readonly builder: ChunkBuilder;
  readonly rate: ChunkRateController;
  /** For one chunk now. */
  unitsMax(): Units;
  isPaused(): boolean;
  failed(cause: unknown): void;
}

interface PackerSetting extends Pick<DisseminationLimits, 'chunkDelayMs' | 'chunkBytes' | 'chunkTransactionsMax'> {
  /** A transaction larger than a chunk's share of a block gets a chunk of its own, in its turn. */
  blockUnits(): Units;
  /** Of a chunk's batches. */
  readonly rowsMax: number;
}

/** Of a chunk, while transactions wait too. */
const BATCH_SHARE = 1 / 2;
const FAR_MS = Number.POSITIVE_INFINITY;

const NO_BATCHES: Pick<BatchPool, 'waiting'> = { waiting: () => [] };

interface SharedSelection extends ChunkSelection {
  /** The oldest transaction is too large for a chunk beside others. */
  readonly isOldestLarge: boolean;
}

const isEmpty = ({ transactions, batches }: ChunkSelection) => transactions.length + batches.length === 0;

export function createPacker(parts: PackerParts, setting: PackerSetting): Packer {
  const { clock, ready, batches, builder, rate, unitsMax, isPaused, failed } = parts;
  let lastMs = Number.NEGATIVE_INFINITY;
  let lastAloneMs = Number.NEGATIVE_INFINITY;
  let building: Promise<void> | undefined;
  let cancel: (() => void) | undefined;
  let stopped = false;
  /** Batches filled the last chunk, so the next one is of transactions. */
  let wereTransactionsLeft = false;

  const waitingCount = () => ready.count + batches.count;
  const isChunkFull = () => ready.bytes + batches.bytes >= setting.chunkBytes;

  function dueMs(): number {
    if (isChunkFull()) return clock.monotonicMs();
    const oldestMs = Math.min(ready.oldestSinceMs ?? FAR_MS, batches.oldestSinceMs ?? FAR_MS);
    return Math.max(oldestMs + setting.chunkDelayMs, lastMs + rate.intervalMs);
  }

  function schedule(): void {
    if (stopped || building !== undefined || waitingCount() === 0 || isPaused() || !builder.isActive) return;
    const waitMs = dueMs() - clock.monotonicMs();
    if (waitMs <= 0) {
      void pack();
      return;
    }
    cancel ??= clock.after(waitMs, () => {
      cancel = undefined;
      schedule();
    });
  }

  function select(timestampMs: number, isTurn: boolean): SharedSelection {
    const unitsLeft = unitsMax();
    const share = ready.count > 0 ? BATCH_SHARE : 1;
    const isTransactionsTurn = wereTransactionsLeft && ready.count > 0;
    const taken = selectBatches(isTransactionsTurn ? NO_BATCHES : batches, {
      timestampMs,
      rowsMax: setting.rowsMax,
      unitsOfFirst: setting.blockUnits(),
      unitsMax: unitsLeft.map((limit) => share * limit),
      bytesMax: share * CHUNK_BYTES_MAX,
    });
    const rest = unitsLeft.map((limit, i) => limit - (taken.units[i] as number));
    const transactionsMax = setting.chunkTransactionsMax;
    const bytesMax = CHUNK_BYTES_MAX - taken.bytes;
    const bounds = { timestampMs, transactionsMax, unitsLeft: rest, bytesMax };
    const chosen = selectTransactions(ready, isTurn ? { ...bounds, unitsAlone: setting.blockUnits() } : bounds);
    const units = addUnits(chosen.units, taken.units);
    const isOldestLarge = chosen.oldestUnits !== undefined && exceeds(chosen.oldestUnits, unitsLeft);
    return { transactions: chosen.transactions, batches: taken.batches, rows: taken.rows, units, isOldestLarge };
  }

  /** A transaction larger than a chunk's share of a block. */
  function selectOne(timestampMs: number): ChunkSelection {
    const bounds = { timestampMs, transactionsMax: 1, unitsLeft: setting.blockUnits() };
    const chosen = selectTransactions(ready, { ...bounds, bytesMax: CHUNK_BYTES_MAX - BODY_BYTES });
    return { ...chosen, batches: [], rows: 0 };
  }

  function pack(): Promise<void> {
    cancel?.();
    cancel = undefined;
    if (!builder.isActive) return Promise.resolve();
    const timestampMs = clock.wallMs();
    const nowMs = clock.monotonicMs();
    const isTurn = nowMs - lastAloneMs >= rate.intervalMs;
    let shared = select(timestampMs, isTurn);
    if (wereTransactionsLeft && isEmpty(shared) && !shared.isOldestLarge) {
      // Large transactions, and expired ones, which only a block removes, give their turn back.
      wereTransactionsLeft = false;
      shared = select(timestampMs, isTurn);
    }
    // Nothing waits for a large one: the usual chunk, with batches, is made after it in the same interval.
    const isAlone = isEmpty(shared) || shared.isOldestLarge;
    if (isTurn && isAlone) lastAloneMs = nowMs;
    else lastMs = nowMs;
    const selected = isAlone ? selectOne(timestampMs) : shared;
    // A large transaction in its own chunk takes no turn from small ones.
    if (!isAlone) wereTransactionsLeft = selected.transactions.length === 0 && ready.count > 0;
    if (isEmpty(selected)) return Promise.resolve();
    building = builder
      .build(selected, timestampMs)
      .catch((cause: unknown) => {
        stopped = true;
        failed(cause);
      })
      .then((chunk) => {
        // The epoch ended meanwhile: there is no chunk yet.
        if (chunk === undefined) lastMs = Number.NEGATIVE_INFINITY;
        building = undefined;
        schedule();
      });
    return building;
  }

  return {
    schedule,
    added() {
      // It moves no timer, unless it fills a chunk.
      if (cancel === undefined || isChunkFull()) schedule();
    },
    async flush() {
      await building;
      if (!stopped && building === undefined && waitingCount() > 0 && !isPaused()) await pack();
    },
    stop() {
      stopped = true;
      cancel?.();
    },
  };
}
