/** BLS signing for clients, in pure JavaScript (a signature takes 10 ms or more). */
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { toHex } from '@slipstream/primitives';
import { CryptoError } from '../errors.ts';
import { DST } from './certificate.ts';

const BLS_SECRET_BYTES = 32;
/** So many that the remainder by the group's order is uniform. */
const SEED_BYTES = 48;

/** 32 bytes, by the platform's generator. */
export function newBlsSecret(): Uint8Array {
  return bls12_381.utils.randomSecretKey(globalThis.crypto.getRandomValues(new Uint8Array(SEED_BYTES)));
}

/** 96 bytes, uncompressed. `secret`: a number in [1, r), 32 bytes, big-endian. Throws CryptoError `invalid-secret-key`. */
export function blsUncompressedKey(secret: Uint8Array): Uint8Array {
  return bls12_381.longSignatures.getPublicKey(checkSecret(secret)).toBytes(false);
}

/** 96 bytes, compressed. `message`: 32 bytes. Throws CryptoError `invalid-secret-key`. */
export function blsSign(message: Uint8Array, secret: Uint8Array): Uint8Array {
  const scheme = bls12_381.longSignatures;
  return scheme.sign(scheme.hash(message, DST), checkSecret(secret)).toBytes(true);
}

/** 192 bytes, uncompressed, as a share of an aggregate. `message`: 32 bytes. Throws CryptoError `invalid-secret-key`. */
export function blsSignUncompressed(message: Uint8Array, secret: Uint8Array): Uint8Array {
  const scheme = bls12_381.longSignatures;
  return scheme.sign(scheme.hash(message, DST), checkSecret(secret)).toBytes(false);
}

/** The library reduces what is too large; the nodes' library refuses it. */
export function checkSecret(secret: Uint8Array): Uint8Array {
  const number = BigInt(`0x0${toHex(secret)}`);
  if (secret.length === BLS_SECRET_BYTES && number > 0n && number < bls12_381.fields.Fr.ORDER) return secret;
  const message = `no BLS secret: ${BLS_SECRET_BYTES} bytes, a number from 1 to below the order of the group, are needed`;
  throw new CryptoError('invalid-secret-key', message);
}
