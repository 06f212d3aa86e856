/**
 * Wrapper of the native BLS binding.
 *
 * BLS12-381, public keys in G1 (48 bytes), signatures in G2, proof-of-possession ciphersuite with the binding's fixed DST,
 * BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_.
 *
 * The binding's validation flags default to FALSE: a decoded point may lie outside the group, where a pairing is meaningless. So every call
 * passes its flags.
 *
 * Source: RFC 9380; draft-irtf-cfrg-bls-signature-05; @chainsafe/blst over supranational/blst.
 */
import blst from '@chainsafe/blst';

export type BlsPublicKey = InstanceType<typeof blst.PublicKey>;
export type BlsSignature = InstanceType<typeof blst.Signature>;
export type BlsSecretKey = InstanceType<typeof blst.SecretKey>;

/** In an encoded point's first byte, whose highest bit means compressed. */
const IDENTITY_FLAG = 0x40;

function isIdentityEncoding(bytes: Uint8Array): boolean {
  return ((bytes[0] as number) & IDENTITY_FLAG) !== 0;
}

/** By length and flags only: it may be no point of the curve. */
export function mayEncodeSignature(bytes: Uint8Array, length: number): boolean {
  return bytes.length === length && !isIdentityEncoding(bytes);
}

/** On the curve, perhaps outside the group. Undefined: no point, or the identity. */
export function decodeSignatureUnchecked(bytes: Uint8Array, length: number): BlsSignature | undefined {
  if (!mayEncodeSignature(bytes, length)) return undefined;
  try {
    return blst.Signature.fromBytes(bytes, false, false);
  } catch {
    return undefined;
  }
}

/** Undefined unless on the curve, in the group and not the identity. */
export function decodePublicKey(bytes: Uint8Array): BlsPublicKey | undefined {
  try {
    return blst.PublicKey.fromBytes(bytes, true);
  } catch {
    return undefined;
  }
}

/** Faster than single calls. No encoding may be the identity (mayEncodeSignature). Undefined: one is no point of the curve. */
export function sumEncodedSignatures(encoded: Uint8Array[]): BlsSignature | undefined {
  try {
    return blst.aggregateSerializedSignatures(encoded, false);
  } catch {
    return undefined;
  }
}

export function sumPublicKeys(publicKeys: BlsPublicKey[]): BlsPublicKey {
  return blst.aggregatePublicKeys(publicKeys, false);
}

/** Encoded, 96 bytes each. Keys must be in the group; only the curve is checked. Undefined: one is no point, or there is none. */
export function sumEncodedKeys(encoded: Uint8Array[]): BlsPublicKey | undefined {
  try {
    return blst.aggregateSerializedPublicKeys(encoded, false);
  } catch {
    return undefined;
  }
}

/** Group check, then pairing check. The key must be validated. */
export function verifyChecked(message: Uint8Array, publicKey: BlsPublicKey, signature: BlsSignature): boolean {
  return blst.verify(message, publicKey, signature, false, true);
}

/** Pairing check only: the signature must be in the group. */
export function verifyInGroup(message: Uint8Array, publicKey: BlsPublicKey, signature: BlsSignature): boolean {
  return blst.verify(message, publicKey, signature, false, false);
}

interface BlindedSum {
  readonly publicKey: BlsPublicKey;
  readonly signature: BlsSignature;
}

/** Sums with the same new, secret, random 64-bit coefficients, after a group check of each. Undefined: one is outside the group. */
export function blindedSum(members: { pk: BlsPublicKey; sig: Uint8Array }[]): BlindedSum | undefined {
  try {
    const { pk, sig } = blst.aggregateWithRandomness(members);
    return { publicKey: pk, signature: sig };
  } catch {
    return undefined;
  }
}

export interface SignedStatement {
  readonly msg: Uint8Array;
  readonly pk: BlsPublicKey;
  readonly sig: BlsSignature;
}

/**
 * One multi-pairing with new, secret, random 64-bit coefficients, after a group check of each signature. Keys must be validated. Uses all
 * cores: the binding has threads of its own.
 */
export function verifyAll(statements: readonly SignedStatement[]): boolean {
  return blst.verifyMultipleAggregateSignatures(statements as SignedStatement[], false, true);
}

export function isIdentityKey(publicKey: BlsPublicKey): boolean {
  return isIdentityEncoding(publicKey.toBytes(true));
}

export function isIdentitySignature(signature: BlsSignature): boolean {
  return isIdentityEncoding(signature.toBytes(true));
}

export function secretKeyFromBytes(bytes: Uint8Array): BlsSecretKey | undefined {
  try {
    return blst.SecretKey.fromBytes(bytes);
  } catch {
    return undefined;
  }
}

export function secretKeyFromSeed(seed: Uint8Array): BlsSecretKey {
  return blst.SecretKey.deriveMasterEip2333(seed);
}
