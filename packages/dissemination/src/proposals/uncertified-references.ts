/**
 * Uncertified references: whether a block may reference chunks without a certificate, which saves two delays (D16). Such a reference
 * assumes that the others hold the chunk too. A failed view or a slow certification suspends them for suspensionMs.
 *
 *   failed view: all know --> suspended at all             slow certification, late start: here alone --> peers are told (D22)
 *                             \------ certificatesNeeded: acks at once, own chunks ask ------/
 *
 * Another's suspension suspends nothing here, so one slow validator costs acks and no certified-only blocks of others.
 */
import type { Clock } from '@slipstream/ports';
import type { Block } from '@slipstream/types';
import type { DisseminationEvents } from '../events.ts';
import type { DisseminationLimits } from '../limits.ts';

export interface UncertifiedReferences {
  /** Once a block. Suspends if views between the block and its parent have failed. */
  trackBlock(block: Pick<Block, 'view' | 'parentView'>): void;
  /** A peer is slow to store chunks. */
  suspend(): void;
  /** A member's references are suspended for this long; suspensionMs at most is believed. */
  suspendedAtPeer(forMs: number): void;
  readonly allowed: boolean;
  /** Until they are allowed. */
  readonly suspendedMs: number;
  /** Some leader, here or elsewhere, references certified chunks only. */
  readonly certificatesNeeded: boolean;
}

export function createUncertifiedReferences(
  {
    clock,
    events,
  }: {
    readonly clock: Pick<Clock, 'monotonicMs'>;
    readonly events: Pick<DisseminationEvents, 'certificatesNeeded'>;
  },
  { suspensionMs }: Pick<DisseminationLimits, 'suspensionMs'>,
): UncertifiedReferences {
  let suspendedUntilMs = Number.NEGATIVE_INFINITY;
  let neededUntilMs = Number.NEGATIVE_INFINITY;

  function need(forMs: number): void {
    neededUntilMs = Math.max(neededUntilMs, clock.monotonicMs() + forMs);
    events.certificatesNeeded();
  }

  function suspend(): void {
    suspendedUntilMs = clock.monotonicMs() + suspensionMs;
    need(suspensionMs);
  }

  return {
    trackBlock({ view, parentView }) {
      if (view > parentView + 1) suspend();
    },
    suspend,
    suspendedAtPeer(forMs) {
      if (forMs > 0) need(Math.min(forMs, suspensionMs));
    },
    get allowed() {
      return clock.monotonicMs() >= suspendedUntilMs;
    },
    get suspendedMs() {
      return Math.max(0, suspendedUntilMs - clock.monotonicMs());
    },
    get certificatesNeeded() {
      return clock.monotonicMs() < neededUntilMs;
    },
  };
}
