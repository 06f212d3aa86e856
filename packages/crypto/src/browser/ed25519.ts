/** Ed25519 signing for clients, in pure JavaScript. Only libsodium in the nodes verifies (native/ed25519.ts). */
import { ed25519 } from '@noble/curves/ed25519.js';
import { CryptoError } from '../errors.ts';

export const ED25519_SECRET_BYTES = 32;

/** `secret`: RFC 8032's seed, 32 bytes. Throws CryptoError `invalid-secret-key`. */
export function ed25519PublicKey(secret: Uint8Array): Uint8Array {
  return ed25519.getPublicKey(checkSecret(secret));
}

/** 64 bytes. Throws CryptoError `invalid-secret-key`. */
export function ed25519Sign(message: Uint8Array, secret: Uint8Array): Uint8Array {
  return ed25519.sign(message, checkSecret(secret));
}

function checkSecret(secret: Uint8Array): Uint8Array {
  if (secret.length === ED25519_SECRET_BYTES) return secret;
  throw new CryptoError(
    'invalid-secret-key',
    `an account's secret has ${ED25519_SECRET_BYTES} bytes, not ${secret.length}`,
  );
}
