/**
 * Optimism: whether a block may reference chunks that have no certificate yet. It saves two delays while all goes well.
 *
 * A validator votes only when it holds every chunk, so a reference without a certificate rests on the hope that the others hold
 * it too. After a failed view, or a certification that took long, the hope is given up for troubleMs.
 */
import type { Clock } from '@slipstream/ports';
import type { Block } from '@slipstream/types';
import type { DisseminationLimits } from './limits.ts';

export interface Optimism {
  /** A block of the chain: views between it and its parent have failed. */
  noted(block: Pick<Block, 'view' | 'parentView'>): void;
  /** A peer is slow to store chunks. */
  slow(): void;
  readonly justified: boolean;
}

export function createOptimism(
  { clock }: { readonly clock: Pick<Clock, 'monotonicMs'> },
  { troubleMs }: Pick<DisseminationLimits, 'troubleMs'>,
): Optimism {
  let troubleSinceMs = Number.NEGATIVE_INFINITY;
  const slow = () => {
    troubleSinceMs = clock.monotonicMs();
  };
  return {
    noted({ view, parentView }) {
      if (view > parentView + 1) slow();
    },
    slow,
    get justified() {
      return clock.monotonicMs() - troubleSinceMs >= troubleMs;
    },
  };
}
