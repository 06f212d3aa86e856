/**
 * Ed25519 of accounts, by libsodium.
 *
 * INVARIANT: no other implementation ever verifies an account's signature. Implementations disagree about small-order points, non-canonical
 * encodings and the cofactor, and a disagreement forks the chain. libsodium 1.0.18 and later: cofactorless, rejects S >= L, small-order A
 * and R, and non-canonical A (tests pin the twelve published edge cases).
 *
 * Source: RFC 8032; Chalkias, Garillot, Nikolaenko, "Taming the many EdDSAs", 2020.
 */
import { ED25519_PUBLIC_KEY_BYTES, ED25519_SIGNATURE_BYTES } from '@slipstream/types';
import sodium from 'sodium-native';
import { CryptoError } from '../errors.ts';

export const ED25519_SECRET_BYTES = 32;

/** Also false for wrong lengths. */
export function ed25519Verify(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (publicKey.length !== ED25519_PUBLIC_KEY_BYTES || signature.length !== ED25519_SIGNATURE_BYTES) return false;
  return sodium.crypto_sign_verify_detached(bufferOver(signature), bufferOver(message), bufferOver(publicKey));
}

/** `secret`: RFC 8032's seed, 32 bytes. Throws CryptoError `invalid-secret-key`. */
export function ed25519PublicKey(secret: Uint8Array): Uint8Array {
  return expand(secret).publicKey;
}

/** 64 bytes. Throws CryptoError `invalid-secret-key`. */
export function ed25519Sign(message: Uint8Array, secret: Uint8Array): Uint8Array {
  const expanded = expand(secret).secretKey;
  const signature = Buffer.alloc(ED25519_SIGNATURE_BYTES);
  sodium.crypto_sign_detached(signature, bufferOver(message), expanded);
  sodium.sodium_memzero(expanded);
  return new Uint8Array(signature);
}

function expand(secret: Uint8Array): { readonly publicKey: Uint8Array; readonly secretKey: Buffer } {
  if (secret.length !== ED25519_SECRET_BYTES) {
    throw new CryptoError(
      'invalid-secret-key',
      `an account's secret has ${ED25519_SECRET_BYTES} bytes, not ${secret.length}`,
    );
  }
  const publicKey = Buffer.alloc(sodium.crypto_sign_PUBLICKEYBYTES);
  const secretKey = Buffer.alloc(sodium.crypto_sign_SECRETKEYBYTES);
  sodium.crypto_sign_seed_keypair(publicKey, secretKey, bufferOver(secret));
  return { publicKey: new Uint8Array(publicKey), secretKey };
}

/** Shares the memory. The binding's types require a Buffer. */
function bufferOver(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
