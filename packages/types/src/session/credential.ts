/**
 * Credentials: a grant, with the proof that a trusted chain certified it.
 *
 *   grant --id--> receipt --Merkle path--> receipts root --preimages--> digest --state certificate--> committee --root key--> issuer
 *
 * Execution's fields (grant, issuer, expiry of the committee certificate) are decoded with the transaction, the proof only for its check
 * (check-credential.ts). The own chain's committee needs no certificate: `root` is empty.
 */
import { ByteListType, ContainerType, createCodec, ListCompositeType } from '@slipstream/primitives';
import {
  type CertificateWire,
  certificateFromWire,
  certificateToWire,
  certificateType,
  type StateCertificate,
} from '../certificate.ts';
import type { CertifiedMember } from '../committee.ts';
import {
  type DigestPreimage,
  type DigestPreimageWire,
  digestPreimageType,
  preimageFromWire,
  preimageToWire,
} from '../digest.ts';
import { type Epoch, epoch } from '../ids.ts';
import { BLS_AGGREGATE_BYTES, BLS_PUBLIC_KEY_BYTES } from '../limits.ts';
import { MERKLE_PATH_MAX } from '../merkle.ts';
import { GRANT_RECEIPT_BYTES_MAX, type Receipt, receiptCodec } from '../receipt.ts';
import { bytes32, uint53 } from '../subject-wire.ts';
import {
  CERTIFIED_MEMBER_BYTES,
  certifiedMembersType,
  ISSUING_MEMBERS_MAX,
  optionalSignatureType,
} from './committee-certificate.ts';
import { type Grant, type GrantWire, grantFromWire, grantToWire, grantType } from './grant.ts';

/** From the grant's block to the certified one; nearly every block is certified. */
export const CREDENTIAL_PREIMAGES_MAX = 8;

interface CredentialRoot {
  /** 48 bytes; a trusted issuer of the target chain. */
  readonly key: Uint8Array;
  /** Of its certificate of the committee. 0: none, the target's state knows the committee (advanceIssuer). */
  readonly expiryMs: number;
}

export interface Credential {
  readonly grant: Grant;
  /** Undefined: the target chain issued it. */
  readonly root: CredentialRoot | undefined;
  /** Serialized CredentialProof. */
  readonly proof: Uint8Array;
}

export interface CredentialProof {
  readonly receipt: Receipt;
  readonly path: readonly Uint8Array[];
  readonly preimages: readonly DigestPreimage[];
  readonly certificate: StateCertificate;
  /** Issuing chain's; empty without a root. */
  readonly members: readonly CertifiedMember[];
  /** 96 bytes; undefined without a certificate of the root key. */
  readonly committeeSignature: Uint8Array | undefined;
}

interface CredentialProofWire {
  readonly receipt: Uint8Array;
  readonly path: readonly Uint8Array[];
  readonly preimages: readonly DigestPreimageWire[];
  readonly certificate: CertificateWire;
  readonly members: readonly CertifiedMember[];
  readonly committeeSignature: Uint8Array;
}

const proofType = new ContainerType({
  receipt: new ByteListType(GRANT_RECEIPT_BYTES_MAX),
  path: new ListCompositeType(bytes32, MERKLE_PATH_MAX),
  preimages: new ListCompositeType(digestPreimageType, CREDENTIAL_PREIMAGES_MAX),
  certificate: certificateType,
  members: certifiedMembersType,
  committeeSignature: optionalSignatureType,
});

const CREDENTIAL_PROOF_BYTES_MAX = proofType.maxSize;

export const credentialProofCodec = createCodec<CredentialProof, CredentialProofWire>(
  'credential proof',
  proofType,
  CREDENTIAL_PROOF_BYTES_MAX,
  {
    toWire: (proof) => ({
      ...proof,
      receipt: receiptCodec.encode(proof.receipt),
      preimages: proof.preimages.map(preimageToWire),
      certificate: certificateToWire(proof.certificate),
      committeeSignature: proof.committeeSignature ?? new Uint8Array(0),
    }),
    fromWire: proofFromWire,
  },
);

function proofFromWire(wire: CredentialProofWire): CredentialProof {
  const receipt = receiptCodec.decode(wire.receipt);
  if (!receipt.ok) throw new RangeError(receipt.error.message);
  const certificate = certificateFromWire(wire.certificate);
  if (certificate.subject.kind !== 'certify') throw new RangeError('a credential ends in a state certificate');
  const { committeeSignature } = wire;
  if (committeeSignature.length % BLS_AGGREGATE_BYTES !== 0) throw new RangeError('a signature has 96 bytes');
  return {
    ...wire,
    receipt: receipt.value,
    preimages: wire.preimages.map(preimageFromWire),
    certificate: certificate as StateCertificate,
    committeeSignature: committeeSignature.length === 0 ? undefined : committeeSignature,
  };
}

/** Undefined: no proof. Canonical form is not checked, which is slow: no id depends on it. */
export function readCredentialProof(bytes: Uint8Array): CredentialProof | undefined {
  try {
    return proofFromWire(proofType.deserialize(bytes) as unknown as CredentialProofWire);
  } catch {
    return undefined;
  }
}

/** Of the certificate in a proof: 4 bytes behind the kind of its subject, at the fourth offset. */
const CERTIFICATE_OFFSET_AT = 12;
const EPOCH_AT = 1;

/** At every use, so by place: what decodes has this epoch. Undefined: it does not decode. */
export function epochOfCredentialProof(bytes: Uint8Array): Epoch | undefined {
  if (bytes.length < CERTIFICATE_OFFSET_AT + 4) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const at = view.getUint32(CERTIFICATE_OFFSET_AT, true) + EPOCH_AT;
  return at + 4 > bytes.length ? undefined : epoch(view.getUint32(at, true));
}

/** Of the members in a proof, which only the signature follows. */
const MEMBERS_OFFSET_AT = 16;
const SIGNATURE_OFFSET_AT = 20;

/**
 * Issuing members whose keys no root key certified: all are decoded. By place, for every transaction: what decodes has so many; 0: it does
 * not decode.
 */
export function uncertifiedMembersIn({ root, proof }: Pick<Credential, 'root' | 'proof'>): number {
  if (root === undefined || root.expiryMs > 0 || proof.length < SIGNATURE_OFFSET_AT + 4) return 0;
  const view = new DataView(proof.buffer, proof.byteOffset, proof.byteLength);
  const bytes = view.getUint32(SIGNATURE_OFFSET_AT, true) - view.getUint32(MEMBERS_OFFSET_AT, true);
  const count = bytes / CERTIFIED_MEMBER_BYTES;
  return Number.isInteger(count) && count > 0 && count <= ISSUING_MEMBERS_MAX ? count : 0;
}

export const credentialType = new ContainerType({
  grant: grantType,
  rootKey: new ByteListType(BLS_PUBLIC_KEY_BYTES),
  committeeExpiryMs: uint53,
  proof: new ByteListType(CREDENTIAL_PROOF_BYTES_MAX),
});

export interface CredentialWire {
  readonly grant: GrantWire;
  readonly rootKey: Uint8Array;
  readonly committeeExpiryMs: number;
  readonly proof: Uint8Array;
}

export const CREDENTIAL_BYTES_MAX = credentialType.maxSize;

export function credentialToWire({ grant, root, proof }: Credential): CredentialWire {
  return {
    grant: grantToWire(grant),
    rootKey: root?.key ?? new Uint8Array(0),
    committeeExpiryMs: root?.expiryMs ?? 0,
    proof,
  };
}

/** Throws RangeError with the reason. */
export function credentialFromWire({ grant, rootKey, committeeExpiryMs, proof }: CredentialWire): Credential {
  if (rootKey.length === 0) {
    if (committeeExpiryMs !== 0) throw new RangeError('without a root key there is no committee certificate to expire');
    return { grant: grantFromWire(grant), root: undefined, proof };
  }
  if (rootKey.length !== BLS_PUBLIC_KEY_BYTES) throw new RangeError(`a root key has ${BLS_PUBLIC_KEY_BYTES} bytes`);
  return { grant: grantFromWire(grant), root: { key: rootKey, expiryMs: committeeExpiryMs }, proof };
}

export const credentialCodec = createCodec<Credential, CredentialWire>(
  'credential',
  credentialType,
  CREDENTIAL_BYTES_MAX,
  { toWire: credentialToWire, fromWire: credentialFromWire },
);
