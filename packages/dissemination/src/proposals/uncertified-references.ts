/**
 * Optimism: whether a block may reference chunks that have no certificate yet. It saves two delays while all goes well.
 *
 * A validator votes only when it holds every chunk, so a reference without a certificate rests on the hope that the others hold
 * it too. After a failed view, or a certification that took long, the hope is given up for troubleMs.
 */
import type { Clock } from '@slipstream/ports';
import type { Block } from '@slipstream/types';
import type { DisseminationLimits } from '../limits.ts';

export interface UncertifiedReferences {
  /** A block of the chain: views between it and its parent have failed. */
  trackBlock(block: Pick<Block, 'view' | 'parentView'>): void;
  /** A peer is slow to store chunks. */
  suspend(): void;
  readonly allowed: boolean;
}

export function createUncertifiedReferences(
  { clock }: { readonly clock: Pick<Clock, 'monotonicMs'> },
  { troubleMs }: Pick<DisseminationLimits, 'troubleMs'>,
): UncertifiedReferences {
  let suspendedAtMs = Number.NEGATIVE_INFINITY;
  const slow = () => {
    suspendedAtMs = clock.monotonicMs();
  };
  return {
    trackBlock({ view, parentView }) {
      if (view > parentView + 1) slow();
    },
    suspend: slow,
    get allowed() {
      return clock.monotonicMs() - suspendedAtMs >= troubleMs;
    },
  };
}
