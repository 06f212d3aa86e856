/**
 * Fees of rows: constant units, so that a batch has one price. A straggler pays as if it were an ordinary transfer, and the difference is
 * burned: a broker earns nothing by making clients stragglers.
 *
 * What a chunk's header says of a batch is an upper bound of its cost, for a block's limits: bytes as they are, and its aggregate's check.
 */
import { addToUnits, feeOf, type Units } from '@slipstream/types';
import type { Batch } from './batch.ts';

/** Its bytes; a share of a pairing, a key sum and a tree; both accounts' entries in the state, read and written. As measured: units.md. */
export const ROW_UNITS: Units = [8, 5, 2, 0, 4];
/** Of a transfer between Ed25519 accounts, serialized. */
export const ORDINARY_TRANSFER_BYTES = 246;
export const STRAGGLER_UNITS: Units = [ORDINARY_TRANSFER_BYTES, 51, 2, 50, 4];
/** A BLS verification is about 20 signature checks, of 50 each; two entries of state. */
const BATCH_UNITS: Units = [0, 1000, 0, 0, 8];

/** In the header of its chunk. `bytes`: of its wire form. */
export function unitsOfBatch({ rows, stragglers }: Pick<Batch, 'rows' | 'stragglers'>, bytes: number): Units {
  const units = [...BATCH_UNITS];
  addToUnits(units, unitsOfRows(rows.count, stragglers.length));
  units[0] = bytes;
  return units;
}

/** `stragglers`: of the rows. */
export function unitsOfRows(rows: number, stragglers: number): Units {
  return ROW_UNITS.map((unit, i) => unit * (rows - stragglers) + (STRAGGLER_UNITS[i] as number) * stragglers);
}

export interface RowFees {
  readonly row: bigint;
  /** Not below `row`. */
  readonly straggler: bigint;
}

export function rowFeesAt(prices: readonly bigint[]): RowFees {
  return { row: feeOf(ROW_UNITS, prices), straggler: feeOf(STRAGGLER_UNITS, prices) };
}
