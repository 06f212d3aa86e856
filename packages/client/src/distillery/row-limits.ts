/** Limits of a new row: until when, and for how much, it may run. */
import type { Terms } from '@slipstream/distilled/stream';
import type { DistilleryOptions } from './options.ts';

export interface RowLimits {
  readonly expiryMs: number;
  readonly feeCap: bigint;
  readonly stragglerFeeCap: bigint;
}

const LIFE_MS_DEFAULT = 50_000;
/** Rows that are sent together share a message if they share their limits. */
const EXPIRY_STEP_MS = 250;
const AMOUNT_MAX = 2n ** 64n - 1n;

export function lifeMsOf({ lifeMs = LIFE_MS_DEFAULT }: Pick<DistilleryOptions, 'lifeMs'>): number {
  return lifeMs;
}

export function limitsOf(
  options: Pick<DistilleryOptions, 'lifeMs' | 'feeCap' | 'stragglerFeeCap'>,
  terms: Terms,
  nowMs: number,
): RowLimits {
  const endMs = nowMs + lifeMsOf(options);
  const feeCap = options.feeCap ?? terms.feeCap;
  return {
    expiryMs: endMs - (endMs % EXPIRY_STEP_MS),
    feeCap,
    stragglerFeeCap: options.stragglerFeeCap ?? stragglerCap(terms, feeCap),
  };
}

/** As far above its fee as the cap of a row is above a row's. */
function stragglerCap({ rowFee, stragglerFee }: Terms, feeCap: bigint): bigint {
  const cap = rowFee === 0n ? stragglerFee : (stragglerFee * feeCap + rowFee - 1n) / rowFee;
  const most = cap > feeCap ? cap : feeCap;
  return most > AMOUNT_MAX ? AMOUNT_MAX : most;
}
