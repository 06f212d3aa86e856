import { ED25519_SECRET_BYTES, ed25519PublicKey } from '@slipstream/crypto/browser';
import { type AccountKey, accountKeyText, ed25519Account } from '@slipstream/types';
import { ClientError } from './errors.ts';

export interface KeyPair {
  /** 32 bytes; they control the account. */
  readonly secret: Uint8Array;
  readonly publicKey: Uint8Array;
  readonly account: AccountKey;
  /** As in routes and JSON transactions. */
  readonly accountText: string;
}

/** Throws ClientError `bad-argument` for another length than 32 bytes. */
export function keyPairFrom(secret: Uint8Array): KeyPair {
  if (secret.length !== ED25519_SECRET_BYTES) {
    throw new ClientError('bad-argument', `a secret has ${ED25519_SECRET_BYTES} bytes, not ${secret.length}`);
  }
  const publicKey = ed25519PublicKey(secret);
  const account = ed25519Account(publicKey);
  return { secret, publicKey, account, accountText: accountKeyText(account) };
}

/** By the platform's generator (browsers, workers, Node). */
export function generateKeyPair(): KeyPair {
  return keyPairFrom(globalThis.crypto.getRandomValues(new Uint8Array(ED25519_SECRET_BYTES)));
}
