/**
 * Uncertified references: whether a block may reference chunks without a certificate, which saves two delays (D16). Such a reference
 * assumes that the others hold the chunk too. A failed view whose block had one, or a slow certification, suspends them for suspensionMs.
 *
 *   failed view, whose block reached all --> suspended at all      slow certification: here alone --> peers are informed (D22)
 *                             \------ certificatesNeeded: acks at once, own chunks ask ------/
 *
 * A view that failed without a block, as a dead leader's, shows nothing of chunks.
 *
 * Another's suspension suspends nothing here, so one slow validator costs acks and no certified-only blocks of others.
 */
import type { Clock } from '@slipstream/ports';
import type { Block } from '@slipstream/types';
import type { DisseminationEvents } from '../events.ts';
import type { DisseminationLimits } from '../limits.ts';

export interface UncertifiedReferences {
  /** A block of a leader, unchecked. */
  proposed(block: Pick<Block, 'view' | 'payload'>): void;
  /** Once a block. Suspends if a view between the block and its parent has failed with such references. */
  trackBlock(block: Pick<Block, 'view' | 'parentView' | 'payload'>): void;
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

/** Views whose block has an uncertified reference, until they are final or failed: consensus holds fewer blocks open. */
const VIEWS_MAX = 256;

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
  /** Oldest first. */
  const views = new Set<number>();

  function need(forMs: number): void {
    neededUntilMs = Math.max(neededUntilMs, clock.monotonicMs() + forMs);
    events.certificatesNeeded();
  }

  function suspend(): void {
    suspendedUntilMs = clock.monotonicMs() + suspensionMs;
    need(suspensionMs);
  }

  function proposed({ view, payload }: Pick<Block, 'view' | 'payload'>): void {
    if (payload.every(({ certificate }) => certificate !== undefined)) return;
    views.add(view);
    if (views.size > VIEWS_MAX) views.delete(views.keys().next().value as number);
  }

  return {
    proposed,
    trackBlock(block) {
      proposed(block);
      for (const view of views) if (view > block.parentView && view < block.view) return suspend();
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
