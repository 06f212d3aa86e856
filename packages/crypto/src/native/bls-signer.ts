/** A validator's own key. Synchronous, for worker threads. */
import { domainPrefix, hashInDomain } from '@slipstream/primitives';
import { BLS_AGGREGATE_BYTES, BLS_SIGNATURE_BYTES } from '@slipstream/types';
import { CryptoError } from '../errors.ts';
import {
  type BlsSecretKey,
  decodePublicKey,
  decodeSignatureUnchecked,
  secretKeyFromBytes,
  secretKeyFromSeed,
  verifyChecked,
} from './binding.ts';

const KEY_SEED_BYTES = 32;

const POP_DOMAIN = domainPrefix('slipstream/pop');

export interface BlsSigner {
  /** 48 bytes, compressed. */
  readonly publicKey: Uint8Array;
  /** 192 bytes, uncompressed. */
  sign(message: Uint8Array): Uint8Array;
  /** 96 bytes, compressed, as in certificates. */
  signCompressed(message: Uint8Array): Uint8Array;
  /** 192 bytes: proves knowledge of the secret, so that no key can cancel others in a sum. */
  proveOwnership(): Uint8Array;
}

/** 32 secret bytes to a 32-byte key. Source: EIP-2333, derive_master_SK. Throws CryptoError `invalid-secret-key`. */
export function generateBlsSecretKey(seed: Uint8Array): Uint8Array {
  if (seed.length !== KEY_SEED_BYTES) {
    throw new CryptoError('invalid-secret-key', `a key seed has ${KEY_SEED_BYTES} bytes, not ${seed.length}`);
  }
  return plainBytes(secretKeyFromSeed(seed).toBytes());
}

/** Throws CryptoError `invalid-secret-key` unless a number in [1, r). */
export function createBlsSigner(secretKey: Uint8Array): BlsSigner {
  const key: BlsSecretKey | undefined = secretKeyFromBytes(secretKey);
  if (key === undefined) throw invalidSecretKey();
  const publicKey = plainBytes(key.toPublicKey().toBytes(true));
  const sign = (message: Uint8Array): Uint8Array => plainBytes(key.sign(message).toBytes(false));
  const signCompressed = (message: Uint8Array): Uint8Array => plainBytes(key.sign(message).toBytes(true));
  return { publicKey, sign, signCompressed, proveOwnership: () => sign(popMessage(publicKey)) };
}

export function invalidSecretKey(): CryptoError {
  return new CryptoError('invalid-secret-key', 'not a BLS12-381 secret key: check the key file');
}

/** Also validates the key. */
export function checkProofOfPossession(publicKey: Uint8Array, proof: Uint8Array): boolean {
  const key = decodePublicKey(publicKey);
  const signature = decodeSignatureUnchecked(proof, BLS_SIGNATURE_BYTES);
  return key !== undefined && signature !== undefined && verifyChecked(popMessage(publicKey), key, signature);
}

/** 48-byte key, 96-byte signature; for data read at start. Other checks go to a Verifier. */
export function verifyCompressed(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  const key = decodePublicKey(publicKey);
  const decoded = decodeSignatureUnchecked(signature, BLS_AGGREGATE_BYTES);
  return key !== undefined && decoded !== undefined && verifyChecked(message, key, decoded);
}

function popMessage(publicKey: Uint8Array): Uint8Array {
  return hashInDomain(POP_DOMAIN, publicKey);
}

/** The binding's Buffers compare, clone and print otherwise. */
function plainBytes(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes);
}
