/**
 * Account keys. Text form: 0x, scheme byte, key bytes.
 *
 * ed25519:    the key signs for itself.
 * pseudonym:  an identity as one service knows it (session/grant.ts); certified sessions act for it.
 * purse:      coins of an application; no key signs for it.
 */
import { ByteListType, ContainerType, fail, fromHex, ok, type Result, to0x } from '@slipstream/primitives';
import { ED25519_PUBLIC_KEY_BYTES } from './limits.ts';
import { uint8 } from './subject-wire.ts';

export const ACCOUNT_SCHEMES = { ed25519: 1, pseudonym: 2, purse: 3 } as const;
export type AccountScheme = keyof typeof ACCOUNT_SCHEMES;

export interface AccountKey {
  readonly scheme: AccountScheme;
  /** 32 bytes. */
  readonly bytes: Uint8Array;
}

const ACCOUNT_KEY_BYTES_MAX = 48;
const ACCOUNT_BYTES = ED25519_PUBLIC_KEY_BYTES;
const SCHEME_NAMES: Readonly<Record<number, AccountScheme>> = { 1: 'ed25519', 2: 'pseudonym', 3: 'purse' };

export function schemeOf(number: number): AccountScheme | undefined {
  return SCHEME_NAMES[number];
}

export const accountKeyType = new ContainerType({ scheme: uint8, bytes: new ByteListType(ACCOUNT_KEY_BYTES_MAX) });

export interface AccountKeyWire {
  readonly scheme: number;
  readonly bytes: Uint8Array;
}

export function accountKeyToWire(key: AccountKey): AccountKeyWire {
  return { scheme: ACCOUNT_SCHEMES[key.scheme], bytes: key.bytes };
}

/** Throws on an unknown scheme or a wrong length. */
export function accountKeyFromWire(wire: AccountKeyWire): AccountKey {
  const scheme = SCHEME_NAMES[wire.scheme];
  if (scheme === undefined) throw new RangeError(`unknown account scheme ${wire.scheme}`);
  if (wire.bytes.length !== ACCOUNT_BYTES) {
    throw new RangeError(`an ${scheme} account key has ${ACCOUNT_BYTES} bytes, not ${wire.bytes.length}`);
  }
  return { scheme, bytes: wire.bytes };
}

/** Scheme byte and key, 33 bytes. */
export function accountKeyBytes(key: AccountKey): Uint8Array {
  const bytes = new Uint8Array(1 + key.bytes.length);
  bytes[0] = ACCOUNT_SCHEMES[key.scheme];
  bytes.set(key.bytes, 1);
  return bytes;
}

export function accountKeyText(key: AccountKey): string {
  return to0x(accountKeyBytes(key));
}

export function parseAccountKey(text: string): Result<AccountKey, string> {
  if (!/^0x[0-9a-fA-F]+$/.test(text)) return fail('an account key is 0x and hexadecimal digits');
  try {
    const bytes = fromHex(text);
    return ok(accountKeyFromWire({ scheme: bytes[0] ?? 0, bytes: bytes.subarray(1) }));
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
}

export function ed25519Account(publicKey: Uint8Array): AccountKey {
  return accountKeyFromWire({ scheme: ACCOUNT_SCHEMES.ed25519, bytes: publicKey });
}

/** `hash`: from sessionAccountOf. */
export function pseudonymAccount(hash: Uint8Array): AccountKey {
  return accountKeyFromWire({ scheme: ACCOUNT_SCHEMES.pseudonym, bytes: hash });
}
