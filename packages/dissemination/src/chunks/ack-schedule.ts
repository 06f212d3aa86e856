/**
 * Ack schedule: when a chunk is acknowledged (D21). Uncertified references usually bring it into a block without any ack.
 *
 *   header asks | certificates needed | sent again --> now
 *   otherwise --wait--> does a block reference it? --no--> now
 *                 ^----------------------yes, until it is committed
 *
 * A chunk in a known block still waits, since its block may not become final.
 */
import type { Clock, PeerKey, Telemetry } from '@slipstream/ports';
import type { Reports } from '../components.ts';
import type { BlockIntervalEstimator } from '../control/block-interval-estimator.ts';
import type { DisseminationEvents } from '../events.ts';
import type { DisseminationLimits } from '../limits.ts';
import type { ChunkReferences } from '../proposals/chunk-references.ts';
import type { UncertifiedReferences } from '../proposals/uncertified-references.ts';
import { createDeferredByChunk } from './deferred-by-chunk.ts';
import type { StorageAcks } from './storage-acks.ts';
import type { StoredChunk } from './stored-chunk.ts';

export interface AckSchedule {
  /** From its producer; undefined: this node. `isAgain`: not for the first time. Settles when the chunk is acknowledged or waits. */
  arrived(chunk: StoredChunk, producer: PeerKey | undefined, isAgain: boolean): Promise<void>;
  /** Some leader references certified chunks only, or the epoch ended. */
  acknowledgeAll(): void;
  forget(hex: string): void;
  stop(): void;
}

interface AckScheduleParts {
  readonly clock: Pick<Clock, 'monotonicMs' | 'after'>;
  readonly telemetry: Pick<Telemetry, 'count'>;
  readonly reports: Pick<Reports, 'failed'>;
  readonly references: Pick<ChunkReferences, 'isReferenced'>;
  readonly uncertifiedReferences: Pick<UncertifiedReferences, 'certificatesNeeded'>;
  readonly blockInterval: Pick<BlockIntervalEstimator, 'intervalMs'>;
  readonly acks: Pick<StorageAcks, 'acknowledge'>;
  readonly events: Pick<DisseminationEvents, 'ownAckDue'>;
}

type AckReason = 'wanted' | 'again' | 'suspended' | 'unreferenced';

interface Waiting {
  readonly chunk: StoredChunk;
  readonly producer: PeerKey | undefined;
}

/** A chunk that comes just after a proposal waits for the next one. */
const WAIT_BLOCKS = 1.5;
/** However slow blocks are, a quorum stores a transaction within about a second. */
const WAIT_MS_MAX = 1_000;

/** How long a chunk that does not ask waits for a block, on a slow chain. */
export function blocksWaitMs({ intervalMs }: Pick<BlockIntervalEstimator, 'intervalMs'>): number {
  return Math.min(WAIT_BLOCKS * intervalMs, WAIT_MS_MAX);
}

/** Bounded by the chunks that are pending here. */
export function createAckSchedule(
  parts: AckScheduleParts,
  { ackDelayMs }: Pick<DisseminationLimits, 'ackDelayMs'>,
): AckSchedule {
  const { clock, telemetry, reports, references, uncertifiedReferences, blockInterval } = parts;
  const waiting = createDeferredByChunk<Waiting>({
    clock,
    isUnneeded: (hex) => references.isReferenced(hex),
    onDue: (_, each) => acknowledgeLate(each, 'unreferenced'),
  });

  function acknowledge({ chunk, producer }: Waiting, reason: AckReason): Promise<void> {
    if (producer === undefined) {
      parts.events.ownAckDue(chunk);
      return Promise.resolve();
    }
    telemetry.count('dissemination_storage_acks_total', 1, { reason });
    return parts.acks.acknowledge(chunk, producer);
  }

  function acknowledgeLate(each: Waiting, reason: AckReason): void {
    acknowledge(each, reason).catch((cause) => reports.failed?.(cause));
  }

  function reasonFor({ header }: StoredChunk, isAgain: boolean): AckReason | undefined {
    if (header.acksWanted) return 'wanted';
    if (isAgain) return 'again';
    return uncertifiedReferences.certificatesNeeded ? 'suspended' : undefined;
  }

  return {
    async arrived(chunk, producer, isAgain) {
      const reason = reasonFor(chunk, isAgain);
      if (reason === undefined) {
        const waitMs = Math.max(ackDelayMs, blocksWaitMs(blockInterval));
        return waiting.add(chunk.hex, { chunk, producer }, waitMs);
      }
      waiting.forget(chunk.hex);
      await acknowledge({ chunk, producer }, reason);
    },
    acknowledgeAll() {
      for (const each of waiting.takeAll()) acknowledgeLate(each, 'suspended');
    },
    forget: waiting.forget,
    stop: waiting.stop,
  };
}
