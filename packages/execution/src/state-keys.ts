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
 *   't', 'h', 's' || "apps"         -> applications (applications/keys.ts)
 *   's' || "fees"                -> prices and the units of the current window (fees.ts)
 */
import { assert, bytesEqual, concatBytes, toHex, utf8 } from '@slipstream/primitives';
import { ACCOUNT_SCHEMES, type AccountKey, DATA_NAME_BYTES_MAX, STATE_KINDS, stateKeyOfData } from '@slipstream/types';
import { decodeBalance } from './account-value.ts';

export const ACCOUNT_KEY_BYTES = 34;
const HEAD_BYTES = 2;
/** Entries of the chain itself. */
export const SYSTEM = 0x73;

/**
 * A key in two parts, so that an account's shares the memory of its transaction: an array of its own would cost more than the look-up.
 * `rest` must not change.
 */
export interface StateKey {
  /** The first two bytes, the first one lowest; 0: `rest` has all bytes. */
  readonly head: number;
  readonly rest: Uint8Array;
  /** A new array where there is a head. */
  readonly bytes: Uint8Array;
  /** Hexadecimal, a map key: it sorts like the bytes. */
  readonly text: string;
}

export type KeyParts = Pick<StateKey, 'head' | 'rest'>;

/** Built where the two parts are needed as one: in the prototype, since closures of each key would cost as much as its bytes. */
class PartedKey implements StateKey {
  readonly head: number;
  readonly rest: Uint8Array;

  constructor(head: number, rest: Uint8Array) {
    this.head = head;
    this.rest = rest;
  }

  get bytes(): Uint8Array {
    if (this.head === 0) return this.rest;
    const bytes = new Uint8Array(HEAD_BYTES + this.rest.length);
    fillKey(this, bytes);
    return bytes;
  }

  get text(): string {
    return toHex(this.bytes);
  }
}

/** Into the first bytes of `into`. Returns their number. */
export function fillKey({ head, rest }: KeyParts, into: Uint8Array): number {
  let at = 0;
  if (head !== 0) {
    into[0] = head;
    into[1] = head >>> 8;
    at = HEAD_BYTES;
  }
  // A loop: for 32 bytes `set` takes longer.
  for (let i = 0; i < rest.length; i++) into[at++] = rest[i] as number;
  return at;
}

export function stateKey(bytes: Uint8Array): StateKey {
  return new PartedKey(0, bytes);
}

export function accountStateKey({ scheme, bytes }: AccountKey): StateKey {
  return new PartedKey(accountHeadOf(ACCOUNT_SCHEMES[scheme]), bytes);
}

export const accountHeadOf = (scheme: number): number => STATE_KINDS.account | (scheme << 8);

/** Both of one kind, so that their parts are alike. */
export function isSameKey(a: StateKey, b: StateKey): boolean {
  return a.head === b.head && bytesEqual(a.rest, b.rest);
}

/** The name has 1 to 28 bytes of UTF-8, as the codec of setData checks. */
export function dataStateKey(account: AccountKey, name: string): StateKey {
  const { length } = utf8(name);
  assert(length >= 1 && length <= DATA_NAME_BYTES_MAX, 'a data name is within its limits');
  return stateKey(stateKeyOfData(account, name));
}

export const FEES_KEY: StateKey = stateKey(concatBytes(new Uint8Array([SYSTEM]), utf8('fees')));

/** Reads committed or overlaid state by key. Does not keep the key: the caller may use its array again. */
export type ReadState = (key: Uint8Array) => Uint8Array | undefined;

/**
 * As ReadState, without an array for each value: copies what fits, and returns the value's length, or ABSENT.
 */
export type CopyState = (key: Uint8Array, into: Uint8Array) => number;

export const ABSENT = -1;

export function copyThrough(read: ReadState): CopyState {
  return (key, into) => {
    const value = read(key);
    if (value === undefined) return ABSENT;
    into.set(value.length <= into.length ? value : value.subarray(0, into.length));
    return value.length;
  };
}

/** For the API. */
export function readBalance(read: ReadState, account: AccountKey): bigint {
  return decodeBalance(read(accountStateKey(account).bytes));
}

/** For the API. */
export function readData(read: ReadState, account: AccountKey, name: string): Uint8Array | undefined {
  return read(dataStateKey(account, name).bytes);
}
