import type { Units } from '@slipstream/types';

/** In each dimension: a block with chunks of an earlier epoch holds what either epoch allows (D14). */
export function largerLimits(limits: Units, others: Units | undefined): Units {
  return others === undefined || others === limits ? limits : limits.map((limit, i) => Math.max(limit, others[i] ?? 0));
}
