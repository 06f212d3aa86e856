/**
 * Value of an account in the state. A registered one stays at balance zero; another without a balance has no entry.
 *
 *   balance u64 | 8 zero bytes                            unregistered, 16 bytes
 *   balance u64 | index + 1 u32 | last u32 | mask u64     registered, 24 bytes
 *
 * Execution reads words of it in place (packages/execution/src/account-value.ts).
 */
import { fail, ok, type Result } from '@slipstream/primitives';

export const UNREGISTERED_BYTES = 16;
export const REGISTERED_BYTES = 24;

/** An account's place in the directory, and the sequences of distilled rows that it used. */
interface AccountPlace {
  /** Of its newest entry; older ones are retired. */
  readonly index: number;
  /** Highest sequence used; 0: none. */
  readonly last: number;
  /** Bit i: sequence last - 1 - i is used. */
  readonly mask: bigint;
}

export interface AccountValue {
  readonly balance: bigint;
  readonly registration: AccountPlace | undefined;
}

const NO_ACCOUNT: AccountValue = { balance: 0n, registration: undefined };

/** Undefined: the account has no entry. */
export function readAccountValue(value: Uint8Array | undefined): Result<AccountValue, string> {
  if (value === undefined) return ok(NO_ACCOUNT);
  if (value.length !== UNREGISTERED_BYTES && value.length !== REGISTERED_BYTES)
    return fail(`an account value has 16 or 24 bytes, this one ${value.length}`);
  const view = new DataView(value.buffer, value.byteOffset, value.byteLength);
  const balance = view.getBigUint64(0, true);
  if (value.length === UNREGISTERED_BYTES) {
    if (balance === 0n || view.getBigUint64(8, true) !== 0n)
      return fail('an account value has no balance, or bytes where there is only room');
    return ok({ balance, registration: undefined });
  }
  const place = view.getUint32(8, true);
  if (place === 0) return fail('the value of a registered account has no index');
  const registration = { index: place - 1, last: view.getUint32(12, true), mask: view.getBigUint64(16, true) };
  return ok({ balance, registration });
}
