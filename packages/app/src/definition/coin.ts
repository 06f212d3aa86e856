/**
 * The chain's native coins. An application has them in purses: accounts that no key signs for, each with a label of the application.
 * Coins come from the sender alone, within the limit of a session.
 */
import { bytesOfText, byteTextFrom, isByteText } from '../forms/byte-text.ts';
import { badValue } from '../forms/errors.ts';
import { decode, encode } from '../forms/form.ts';
import { amount } from '../forms/integers.ts';
import { type Account, account } from '../forms/opaque.ts';
import { COIN_TABLE } from '../host.ts';
import { hostInHand } from '../state/call-in-hand.ts';
import type { Key } from '../state/keys.ts';
import { stored } from '../state/stored.ts';
import { fail } from './fail.ts';

const LABEL_BYTES_MAX = 64;

export interface Coin {
  /** The account of a purse. A label has one byte a character, at most 64: text, an id or an account. */
  purse(label: string): Account;
  /** From the sender into a purse; fails with "insufficient-balance". */
  collect(label: string, value: bigint): void;
  /** From a purse to an account; fails with "insufficient-balance". */
  pay(label: string, to: Account, value: bigint): void;
  balance(of: Account): bigint;
  /** Declares a balance, in `keys` of an action. */
  key(of: Account): Key;
}

export const coin: Coin = {
  purse(label) {
    const purse = hostInHand().purse(labelBytes(label));
    return byteTextFrom(purse, 0, purse.length) as Account;
  },
  collect(label, value) {
    if (!hostInHand().collect(labelBytes(label), checked(value))) fail('insufficient-balance');
  },
  pay(label, to, value) {
    if (!hostInHand().pay(labelBytes(label), encode(account, to), checked(value))) fail('insufficient-balance');
  },
  balance(of) {
    return stored(keyNumber(of), BALANCE, () => 0n);
  },
  key: (of) => ({ number: keyNumber(of) }),
};

function keyNumber(of: Account): number {
  const bytes = encode(account, of);
  return hostInHand().key(COIN_TABLE, bytes, bytes.length);
}

const BALANCE = { decode: (bytes: Uint8Array, length: number) => decode(amount, bytes, 0, length) };

function labelBytes(label: string): Uint8Array {
  if (!isByteText(label) || label.length > LABEL_BYTES_MAX)
    throw badValue(label, `a label of at most ${LABEL_BYTES_MAX} bytes`);
  return bytesOfText(label);
}

function checked(value: bigint): bigint {
  encode(amount, value);
  return value;
}
