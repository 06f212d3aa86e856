/** Units of a transaction: what it may take at most, known from its bytes alone. */
import { addUnits, NO_UNITS, type Transaction, type TransactionAuth, type Units } from '@slipstream/types';
import { actionUnits } from './actions/index.ts';
import { SESSION_ALLOCATE_BYTES, SESSION_WRITE_UNITS } from './sessions/record.ts';

/**
 * Compute units of a transaction before its actions: its signature. Verifying one costs about 70 us and a balance change
 * about 0.1 us (signatures.md); 50 keeps the signature dominant without making actions free.
 */
const SIGNATURE_COMPUTE = 50;
/** The sender's balance is read and written for the fee. */
const SENDER_KEYS = 1;

/** Units by position: the order of UNIT_DIMENSIONS. */
export const ALLOCATE = 3;

/**
 * A credential may take two BLS verifications (about 1.4 ms each with decoding: as much as 20 signatures each), whatever a cache
 * saves; and its first use writes a record. A grant's id takes a look at the record.
 */
const CREDENTIAL_COMPUTE = 2 * 20 * SIGNATURE_COMPUTE;
const AUTHORITY_UNITS = {
  ed25519: NO_UNITS,
  session: [0, CREDENTIAL_COMPUTE, 1, SESSION_ALLOCATE_BYTES, SESSION_WRITE_UNITS],
  'session-hash': [0, 1, 1, 0, SESSION_WRITE_UNITS],
} as const satisfies Record<TransactionAuth['scheme'], Units>;

/** Upper bound, in the order of UNIT_DIMENSIONS. Bytes that are not a transaction take bandwidth only. */
export function unitsOf(transaction: Transaction | undefined, bytes: number): Units {
  if (transaction === undefined) return [bytes, 0, 0, 0, 0];
  let units: Units = [bytes, SIGNATURE_COMPUTE, SENDER_KEYS, 0, SENDER_KEYS];
  if (transaction.auth.scheme !== 'ed25519') units = addUnits(units, AUTHORITY_UNITS[transaction.auth.scheme]);
  for (const action of transaction.body.actions) units = addUnits(units, actionUnits(action));
  return units;
}
