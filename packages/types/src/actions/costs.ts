/** What parts of actions cost, in units (units.ts). They follow from measurements (decision 0048). */
import type { Units } from '../units.ts';

/** A transaction without its actions: the reference. Nearly all of it is one Ed25519 verification. */
export const TRANSACTION_COMPUTE = 50;
export const CHANGE_COMPUTE = 5;
/** A key with a small value: twice a large value's 64 bytes in time, and about as many bytes on disk. */
export const KEY_WRITE = 2;
export const WRITE_UNIT_BYTES = 64;

/** Key and value of a new account. */
export const ACCOUNT_ALLOCATE_BYTES = 34 + 16;

/** Value of a session's state entry; the key has 33 bytes. */
export const SESSION_RECORD_BYTES = 159;
export const SESSION_ALLOCATE_BYTES = 33 + SESSION_RECORD_BYTES;
export const SESSION_WRITES = writesOf(SESSION_RECORD_BYTES);
/** A new one is listed in the calendar as well: a grant id. */
export const NEW_SESSION_WRITES = SESSION_WRITES + writesOf(32);
/** Three times the time of an account's: its value is long, and the calendar checks whether it is new. */
export const SESSION_READS = 2;

/** A BLS verification is about 20 signature checks. */
export const KEY_CHECK_COMPUTE = 20 * TRANSACTION_COMPUTE;
/** Decoding a BLS key takes about as long as a signature check. */
export const KEY_DECODE_COMPUTE = TRANSACTION_COMPUTE;
export const GOVERNANCE_COMPUTE = 50;
/** A validator's entry, short or long, and the queue. Hashes of artifacts are paid for by the readiness that names them. */
export const VALIDATOR_WRITES = 15;
export const VALIDATOR_READS = 4;
/** An entry of the queue, and its head. */
export const WAITING_BYTES = 128;

export function writesOf(valueBytes: number): number {
  // A deletion is written too.
  return KEY_WRITE + Math.max(1, Math.ceil(valueBytes / WRITE_UNIT_BYTES));
}

/** Bandwidth is the transaction's. */
export function cost(compute: number, read: number, allocate: number, write: number): Units {
  return [0, compute, read, allocate, write];
}
