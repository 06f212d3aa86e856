/** The value of an account (packages/types/src/state/account-value.ts) in the work on blocks: without an array for each. */
import { type AccountValue, REGISTERED_BYTES, readAccountValue, UNREGISTERED_BYTES } from '@slipstream/types';
import { ExecutionError } from './errors.ts';

/** Shared, because a DataView per small array costs more than the rest of a transfer. */
const scratch = new Uint8Array(REGISTERED_BYTES);
const scratchView = new DataView(scratch.buffer);

/** Undefined for zero: an unregistered account without a balance has no entry. */
export function encodeBalance(balance: bigint): Uint8Array | undefined {
  if (balance === 0n) return undefined;
  const value = new Uint8Array(UNREGISTERED_BYTES);
  scratchView.setBigUint64(0, balance, true);
  scratchView.setBigUint64(8, 0n, true);
  value.set(scratch.subarray(0, UNREGISTERED_BYTES));
  return value;
}

export function encodeAccount({ balance, registration }: AccountValue): Uint8Array | undefined {
  if (registration === undefined) return encodeBalance(balance);
  scratchView.setBigUint64(0, balance, true);
  scratchView.setUint32(8, registration.index + 1, true);
  scratchView.setUint32(12, registration.last, true);
  scratchView.setBigUint64(16, registration.mask, true);
  return scratch.slice();
}

export function isRegistered(value: Uint8Array): boolean {
  return value.length === REGISTERED_BYTES;
}

/** Another balance in the value of a registered account. */
export function withBalance(registered: Uint8Array, balance: bigint): Uint8Array {
  scratch.set(registered);
  scratchView.setBigUint64(0, balance, true);
  return scratch.slice();
}

/** Of a registered account: balance (low, high), index + 1, last, mask (low, high). */
export const ACCOUNT_WORDS = 6;

/** Sets words from `at` on. `value` has 24 bytes. Throws ExecutionError `state-corrupt`. */
export function wordsOfAccount(value: Uint8Array, words: Uint32Array, at: number): void {
  scratch.set(value);
  for (let i = 0; i < ACCOUNT_WORDS; i++) words[at + i] = scratchView.getUint32(4 * i, true);
  if (words[at + 2] !== 0) return;
  throw new ExecutionError('state-corrupt', 'the value of a registered account has no index', {});
}

/** The value in 24 bytes from `to` on. */
export function writeAccountWords(words: Uint32Array, at: number, value: Uint8Array, to: number): void {
  for (let i = 0; i < ACCOUNT_WORDS; i++) scratchView.setUint32(4 * i, words[at + i] as number, true);
  value.set(scratch, to);
}

/** Throws ExecutionError `state-corrupt`. */
export function decodeBalance(value: Uint8Array | undefined): bigint {
  if (value === undefined) return 0n;
  if (value.length !== UNREGISTERED_BYTES && value.length !== REGISTERED_BYTES) {
    throw new ExecutionError('state-corrupt', `an account value has 16 or 24 bytes, this one ${value.length}`, {});
  }
  if (value.length === UNREGISTERED_BYTES) return decodeUnregistered(value);
  scratch.set(value);
  if (scratchView.getUint32(8, true) !== 0) return scratchView.getBigUint64(0, true);
  throw new ExecutionError('state-corrupt', 'the value of a registered account has no index', {});
}

/** The first 16 bytes of `value`, which has 24 at most. Throws ExecutionError `state-corrupt`. */
export function decodeUnregistered(value: Uint8Array): bigint {
  scratch.set(value);
  const balance = scratchView.getBigUint64(0, true);
  if (balance === 0n || scratchView.getUint32(8, true) !== 0 || scratchView.getUint32(12, true) !== 0) {
    throw new ExecutionError('state-corrupt', 'an account value has no balance, or bytes where there is only room', {});
  }
  return balance;
}

/** Throws ExecutionError `state-corrupt`. */
export function decodeAccount(value: Uint8Array | undefined): AccountValue {
  const read = readAccountValue(value);
  if (read.ok) return read.value;
  throw new ExecutionError('state-corrupt', read.error, {});
}
