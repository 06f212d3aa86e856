/**
 * BLS signatures of committees and members, verified for clients in pure JavaScript (25 ms or more each; a proof holds one or two).
 *
 * The keys must come from a trusted committee (genesis), which has their proofs of possession; otherwise aggregates can be forged. The
 * caller checks weights and quorums (packages/types).
 */
import { bls12_381 } from '@noble/curves/bls12-381.js';
import {
  BLS_AGGREGATE_BYTES,
  BLS_PUBLIC_KEY_BYTES,
  BLS_SIGNATURE_BYTES,
  COMMITTEE_MEMBERS_MAX,
} from '@slipstream/types';

/** As of blst's binding, not the library's default. */
export const DST = 'BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_';

export interface CertificateAggregate {
  /** Of exactly the signers, 48 bytes each. */
  readonly publicKeys: readonly Uint8Array[];
  /** 32 bytes. */
  readonly message: Uint8Array;
  /** 96 bytes. */
  readonly aggregate: Uint8Array;
}

interface MemberSignature {
  /** 48 bytes. */
  readonly publicKey: Uint8Array;
  /** 32 bytes. */
  readonly message: Uint8Array;
  /** 192 bytes: single signatures are uncompressed. */
  readonly signature: Uint8Array;
}

/** Also false for malformed input. */
export function verifyCertificateAggregate({ publicKeys, message, aggregate }: CertificateAggregate): boolean {
  if (publicKeys.length === 0 || publicKeys.length > COMMITTEE_MEMBERS_MAX) return false;
  return aggregate.length === BLS_AGGREGATE_BYTES && holds(publicKeys, message, aggregate);
}

/** Also false for malformed input. */
export function verifyMemberSignature({ publicKey, message, signature }: MemberSignature): boolean {
  return signature.length === BLS_SIGNATURE_BYTES && holds([publicKey], message, signature);
}

function holds(publicKeys: readonly Uint8Array[], message: Uint8Array, bytes: Uint8Array): boolean {
  if (publicKeys.some((key) => key.length !== BLS_PUBLIC_KEY_BYTES)) return false;
  try {
    return signatureHolds(publicKeys.map(keyPoint), message, bytes);
  } catch {
    // no point, or outside the group
    return false;
  }
}

export type KeyPoint = InstanceType<typeof bls12_381.G1.Point>;

/** `bytes`: 48. Throws for what is no point of the group. */
export function keyPoint(bytes: Uint8Array): KeyPoint {
  const point = bls12_381.G1.Point.fromBytes(bytes);
  point.assertValidity();
  return point;
}

/** `bytes`: 96 or 192. Throws for what is no point of the group; false for zero. */
export function signatureHolds(keys: readonly KeyPoint[], message: Uint8Array, bytes: Uint8Array): boolean {
  const scheme = bls12_381.longSignatures;
  const signature = bls12_381.G2.Point.fromBytes(bytes);
  signature.assertValidity();
  const key = scheme.aggregatePublicKeys([...keys]);
  if (signature.is0() || key.is0()) return false;
  return scheme.verify(signature, scheme.hash(message, DST), key);
}
