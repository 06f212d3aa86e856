/**
 * State keys and values of accounts, data and fees.
 *
 *   'a' || account (33)          -> balance, place in the directory (account-value.ts) 34-byte key, 16 or 24-byte value
 *   'd' || account (33) || name  -> the value                                     35 to 62 bytes
 *   'g' || grant id             -> a session (sessions/record.ts)                  33-byte key, 159-byte value
 *   'i' || account (33)         -> devices of an identity (sessions/devices.ts)    34-byte key, 33 to 264 bytes
 *   'e', 's' || "sessions"       -> expiry of sessions (sessions/calendar.ts)          5 or 9-byte key, 8 to 32 bytes
 *   'x', 's' || "directory"       -> account directory (directory/)
 *   's' || "distilled"           -> bounds of the directory and of rows (directory/bounds.ts); none: the chain has no directory
 *   's' || "fees"                -> prices and the units of the current window (fees.ts)
 */
import { assert, concatBytes, toHex, utf8 } from '@slipstream/primitives';
import { ACCOUNT_SCHEMES, type AccountKey, accountKeyBytes, DATA_NAME_BYTES_MAX } from '@slipstream/types';
import { decodeBalance } from './account-value.ts';

const ACCOUNT = 0x61;
const DATA = 0x64;
const ACCOUNT_KEY_BYTES = 34;
/** Entries of the chain itself. */
export const SYSTEM = 0x73;

/** A key, and its hexadecimal form: the map key, which sorts like the bytes. */
export interface StateKey {
  readonly bytes: Uint8Array;
  readonly text: string;
}

export function stateKey(bytes: Uint8Array): StateKey {
  return { bytes, text: toHex(bytes) };
}

/** Written in place, because intermediate arrays are expensive for two or three keys per transaction. */
export function accountStateKey({ scheme, bytes }: AccountKey): StateKey {
  const key = new Uint8Array(2 + bytes.length);
  key[0] = ACCOUNT;
  key[1] = ACCOUNT_SCHEMES[scheme];
  key.set(bytes, 2);
  return stateKey(key);
}

/** `account`: bytes that begin with accountKeyBytes of types. */
export function accountKeyOf(account: Uint8Array): StateKey {
  const key = new Uint8Array(ACCOUNT_KEY_BYTES);
  key[0] = ACCOUNT;
  key.set(account.subarray(0, ACCOUNT_KEY_BYTES - 1), 1);
  return stateKey(key);
}

/** The name has 1 to 28 bytes of UTF-8, as the codec of setData checks. */
export function dataStateKey(account: AccountKey, name: string): StateKey {
  const nameBytes = utf8(name);
  assert(nameBytes.length >= 1 && nameBytes.length <= DATA_NAME_BYTES_MAX, 'a data name is within its limits');
  return stateKey(concatBytes(new Uint8Array([DATA]), accountKeyBytes(account), nameBytes));
}

export const FEES_KEY: StateKey = stateKey(concatBytes(new Uint8Array([SYSTEM]), utf8('fees')));

/** Reads committed or overlaid state by key. */
export type ReadState = (key: Uint8Array) => Uint8Array | undefined;

/** For the API. */
export function readBalance(read: ReadState, account: AccountKey): bigint {
  return decodeBalance(read(accountStateKey(account).bytes));
}

/** For the API. */
export function readData(read: ReadState, account: AccountKey, name: string): Uint8Array | undefined {
  return read(dataStateKey(account, name).bytes);
}
