/**
 * Fees of rows: constant units, so that a batch has one price. A straggler pays as if it were an ordinary transfer, and the difference is
 * burned: a broker earns nothing by making clients stragglers.
 */
import { feeOf, type Units } from '@slipstream/types';

/** Its bytes; a share of a pairing, a key sum and a tree; both accounts' entries in the state. */
export const ROW_UNITS: Units = [8, 5, 0, 0, 4];
/** Of a transfer between Ed25519 accounts, serialized. */
export const ORDINARY_TRANSFER_BYTES = 246;
export const STRAGGLER_UNITS: Units = [ORDINARY_TRANSFER_BYTES, 51, 2, 50, 4];

export interface RowFees {
  readonly row: bigint;
  /** Not below `row`. */
  readonly straggler: bigint;
}

export function rowFeesAt(prices: readonly bigint[]): RowFees {
  return { row: feeOf(ROW_UNITS, prices), straggler: feeOf(STRAGGLER_UNITS, prices) };
}
