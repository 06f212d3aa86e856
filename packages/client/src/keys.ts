/** Account keys: 32 secret bytes, from the caller's source of randomness, and what follows from them. */
import { ED25519_SECRET_BYTES, ed25519PublicKey } from '@slipstream/crypto/browser';
import { type AccountKey, accountKeyText, ed25519Account } from '@slipstream/types';
import { ClientError } from './errors.ts';

export interface KeyPair {
  /** 32 bytes. Whoever has them owns the account. */
  readonly secret: Uint8Array;
  readonly publicKey: Uint8Array;
  readonly account: AccountKey;
  /** The account as routes and transactions in JSON name it. */
  readonly accountText: string;
}

/** The key pair of 32 secret bytes. Throws ClientError `bad-argument` on another length. */
export function keyPairFrom(secret: Uint8Array): KeyPair {
  if (secret.length !== ED25519_SECRET_BYTES) {
    throw new ClientError('bad-argument', `a secret has ${ED25519_SECRET_BYTES} bytes, not ${secret.length}`);
  }
  const publicKey = ed25519PublicKey(secret);
  const account = ed25519Account(publicKey);
  return { secret, publicKey, account, accountText: accountKeyText(account) };
}

/** A new key pair from the platform's generator (browsers, workers, Node). */
export function generateKeyPair(): KeyPair {
  return keyPairFrom(globalThis.crypto.getRandomValues(new Uint8Array(ED25519_SECRET_BYTES)));
}
