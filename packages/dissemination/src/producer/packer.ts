/**
 * Packer: when this validator makes a chunk.
 *
 *   something ready --chunkDelayMs, and an interval of the rate controller after the last chunk--> build --> certifier
 *                   \--chunkBytes gathered: at once
 *
 * It pauses while too many own chunks are uncertified, or pending ones fill their quota. Then larger chunks gather, and intake refuses
 * clients. A node that is no member of the epoch makes none.
 */
import type { Clock } from '@slipstream/ports';
import type { Units } from '@slipstream/types';
import type { ChunkRateController } from '../control/chunk-rate-controller.ts';
import type { DisseminationLimits } from '../limits.ts';
import type { ReadyQueue } from '../pool/ready-queue.ts';
import { type ChunkBuilder, selectTransactions } from './chunk-builder.ts';

export interface Packer {
  /** After more is ready, or a chunk is certified or gone. */
  schedule(): void;
  flush(): Promise<void>;
  stop(): void;
}

interface PackerParts {
  readonly clock: Clock;
  readonly ready: ReadyQueue;
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
}

export function createPacker(parts: PackerParts, setting: PackerSetting): Packer {
  const { clock, ready, builder, rate, unitsMax, isPaused, failed } = parts;
  let lastMs = Number.NEGATIVE_INFINITY;
  let building: Promise<void> | undefined;
  let cancel: (() => void) | undefined;
  let stopped = false;

  function dueMs(): number {
    if (ready.bytes >= setting.chunkBytes) return clock.monotonicMs();
    return Math.max((ready.oldestSinceMs ?? 0) + setting.chunkDelayMs, lastMs + rate.intervalMs);
  }

  function schedule(): void {
    if (stopped || building !== undefined || ready.count === 0 || !builder.isActive || isPaused()) return;
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

  function select() {
    const timestampMs = clock.wallMs();
    const { chunkTransactionsMax: transactionsMax } = setting;
    const blockUnits = setting.blockUnits();
    const selected = selectTransactions(ready, {
      timestampMs,
      transactionsMax,
      unitsLeft: unitsMax(),
      unitsAlone: blockUnits,
    });
    if (selected.transactions.length > 0) return { selected, timestampMs };
    return {
      selected: selectTransactions(ready, { timestampMs, transactionsMax: 1, unitsLeft: blockUnits }),
      timestampMs,
    };
  }

  function pack(): Promise<void> {
    cancel?.();
    cancel = undefined;
    if (!builder.isActive) return Promise.resolve();
    lastMs = clock.monotonicMs();
    const { selected, timestampMs } = select();
    if (selected.transactions.length === 0) return Promise.resolve();
    building = builder
      .build(selected, timestampMs)
      .catch((cause: unknown) => {
        stopped = true;
        failed(cause);
      })
      .then(() => {
        building = undefined;
        schedule();
      });
    return building;
  }

  return {
    schedule,
    async flush() {
      await building;
      if (!stopped && building === undefined && ready.count > 0 && !isPaused()) await pack();
    },
    stop() {
      stopped = true;
      cancel?.();
    },
  };
}
