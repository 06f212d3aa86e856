/**
 * Committee certificate: a root key's signature on its chain's committee, made offline at `init`, valid until an expiry.
 *
 *   message = SHA-256(domain || genesisHash || expiryMs || SHA-256(serialized members))
 *
 * With it a chain that trusts the root key checks this chain's state certificates.
 */
import {
  ByteListType,
  ByteVectorType,
  ContainerType,
  createCodec,
  domainPrefix,
  hashInDomain,
  ListCompositeType,
  sha256,
  uint64le,
} from '@slipstream/primitives';
import type { CertifiedCommittee, CertifiedMember } from '../committee.ts';
import type { GenesisHash } from '../ids.ts';
import { BLS_AGGREGATE_BYTES, BLS_PUBLIC_KEY_BYTES, COMMITTEE_MEMBERS_MAX } from '../limits.ts';
import { bytes32, uint16, uint53 } from '../subject-wire.ts';

/** A credential carries all its keys (12.8 kB). */
export const ISSUING_MEMBERS_MAX = 256;

export interface CommitteeCertificate {
  readonly genesisHash: GenesisHash;
  /** 48 bytes. */
  readonly rootKey: Uint8Array;
  readonly expiryMs: number;
  readonly members: readonly CertifiedMember[];
  /** 96 bytes over committeeMessage. */
  readonly signature: Uint8Array;
}

const memberType = new ContainerType({ weight: uint16, blsPublicKey: new ByteVectorType(BLS_PUBLIC_KEY_BYTES) });
export const CERTIFIED_MEMBER_BYTES = memberType.maxSize;
export const certifiedMembersType = new ListCompositeType(memberType, ISSUING_MEMBERS_MAX);
/** Of any committee; the same bytes. */
export const committeeMembersType = new ListCompositeType(memberType, COMMITTEE_MEMBERS_MAX);

const type = new ContainerType({
  genesisHash: bytes32,
  rootKey: new ByteVectorType(BLS_PUBLIC_KEY_BYTES),
  expiryMs: uint53,
  members: certifiedMembersType,
  signature: new ByteVectorType(BLS_AGGREGATE_BYTES),
});

export const committeeCertificateCodec = createCodec<CommitteeCertificate>('committee certificate', type, type.maxSize);

/** Empty or 96 bytes: the own committee needs none. */
export const optionalSignatureType = new ByteListType(BLS_AGGREGATE_BYTES);

const DOMAIN = domainPrefix('slipstream/committee');
const ISSUER_DOMAIN = domainPrefix('slipstream/issuer');

export function certifiedMembers(committee: Pick<CertifiedCommittee, 'members'>): readonly CertifiedMember[] {
  return committee.members.map(({ weight, blsPublicKey }) => ({ weight, blsPublicKey }));
}

/** 32 bytes. */
export function committeeMessage(
  genesisHash: GenesisHash,
  members: readonly CertifiedMember[],
  expiryMs: number,
): Uint8Array {
  return hashInDomain(DOMAIN, genesisHash, uint64le(expiryMs), certifiedMembersHash(members));
}

/** Part of an epoch's record too (epochs/record.ts), so that one hash serves issuers and light clients. */
export function certifiedMembersHash(members: readonly CertifiedMember[]): Uint8Array {
  return sha256(committeeMembersType.serialize(members.map(({ weight, blsPublicKey }) => ({ weight, blsPublicKey }))));
}

/** Part of its users' accounts: the trusted root key, or the own chain. */
export function issuerIdOf(
  issuer: { readonly rootKey: Uint8Array } | { readonly genesisHash: GenesisHash },
): Uint8Array {
  return 'rootKey' in issuer ? hashInDomain(ISSUER_DOMAIN, issuer.rootKey) : issuer.genesisHash;
}
