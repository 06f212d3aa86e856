/** Units of a transaction: what it may take at most, known from its bytes alone. */
import { addUnits, type Transaction, type Units } from '@slipstream/types';
import { actionUnits } from './actions/index.ts';

/**
 * Compute units of a transaction before its actions: its signature. Verifying one costs about 70 us and a balance change
 * about 0.1 us (signatures.md); 50 keeps the signature dominant without making actions free.
 */
const SIGNATURE_COMPUTE = 50;
/** The sender's balance is read and written for the fee. */
const SENDER_KEYS = 1;

/** Units by position: the order of UNIT_DIMENSIONS. */
export const ALLOCATE = 3;

/** Upper bound, in the order of UNIT_DIMENSIONS. Bytes that are not a transaction take bandwidth only. */
export function unitsOf(transaction: Transaction | undefined, bytes: number): Units {
  if (transaction === undefined) return [bytes, 0, 0, 0, 0];
  let units: Units = [bytes, SIGNATURE_COMPUTE, SENDER_KEYS, 0, SENDER_KEYS];
  for (const action of transaction.body.actions) units = addUnits(units, actionUnits(action));
  return units;
}
