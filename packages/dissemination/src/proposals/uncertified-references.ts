/**
 * Uncertified references: whether a block may reference chunks without a certificate, which saves two delays (D16). Such a reference
 * assumes that the others hold the chunk too. A failed view or a slow certification suspends them for suspensionMs.
 */
import type { Clock } from '@slipstream/ports';
import type { Block } from '@slipstream/types';
import type { DisseminationEvents } from '../events.ts';
import type { DisseminationLimits } from '../limits.ts';

export interface UncertifiedReferences {
  /** Views between the block and its parent have failed. */
  trackBlock(block: Pick<Block, 'view' | 'parentView'>): void;
  /** A peer is slow to store chunks. */
  suspend(): void;
  readonly allowed: boolean;
}

export function createUncertifiedReferences(
  {
    clock,
    events,
  }: {
    readonly clock: Pick<Clock, 'monotonicMs'>;
    readonly events: Pick<DisseminationEvents, 'uncertifiedReferencesSuspended'>;
  },
  { suspensionMs }: Pick<DisseminationLimits, 'suspensionMs'>,
): UncertifiedReferences {
  let suspendedAtMs = Number.NEGATIVE_INFINITY;
  const suspend = () => {
    suspendedAtMs = clock.monotonicMs();
    events.uncertifiedReferencesSuspended();
  };
  return {
    trackBlock({ view, parentView }) {
      if (view > parentView + 1) suspend();
    },
    suspend,
    get allowed() {
      return clock.monotonicMs() - suspendedAtMs >= suspensionMs;
    },
  };
}
