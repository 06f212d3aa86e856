/** Values in an overlay: serialized, or a positive balance of an unregistered account; undefined: no entry. */
import { bytesEqual } from '@slipstream/primitives';
import { UNREGISTERED_BYTES } from '@slipstream/types';
import { decodeBalance, encodeBalance, isRegistered, withBalance } from './account-value.ts';

export type Value = Uint8Array | bigint | undefined;

/** Registration outlives the balance. */
export function rebalanced(value: Value, balance: bigint): Value {
  if (value !== undefined && typeof value !== 'bigint' && isRegistered(value)) return withBalance(value, balance);
  return balance === 0n ? undefined : balance;
}

export function valueBytes(value: Uint8Array | bigint): number {
  return typeof value === 'bigint' ? UNREGISTERED_BYTES : value.length;
}

export function serialized(value: Value): Uint8Array | undefined {
  return typeof value === 'bigint' ? encodeBalance(value) : value;
}

/** At a place of zeros; `view` is of the same memory. Returns where the value ends. */
export function encodeValue(value: Value, into: Uint8Array, view: DataView, at: number): number {
  if (value === undefined) return at;
  if (typeof value === 'bigint') view.setBigUint64(at, value, true);
  else into.set(value, at);
  return at + valueBytes(value);
}

export function sameValue(a: Value, b: Value): boolean {
  if (a === undefined || b === undefined) return a === b;
  if (typeof a !== 'bigint' && typeof b !== 'bigint') return bytesEqual(a, b);
  return valueBytes(a) === valueBytes(b) && balanceIn(a) === balanceIn(b);
}

function balanceIn(value: Uint8Array | bigint): bigint {
  return typeof value === 'bigint' ? value : decodeBalance(value);
}
