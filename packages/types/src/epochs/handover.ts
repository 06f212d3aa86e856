/**
 * Handover of an epoch: its committee certified who comes next.
 *
 *   committee e --state certificate--> digest --preimage: next--> record e + 1 --hashes--> weights and BLS keys of e + 1
 *
 * A chain of handovers leads from a trusted committee to the newest one and skips none: an aggregate over keys without proofs of
 * possession proves nothing about its signers. Structure and hashes are checked here; the caller checks the signature.
 */
import { bytesEqual, ContainerType, createCodec, fail, ok, type Result } from '@slipstream/primitives';
import {
  type CertificateWire,
  certificateToWire,
  certificateType,
  hasQuorumOfSigners,
  type StateCertificate,
  stateCertificateFromWire,
} from '../certificate.ts';
import { type CertifiedCommittee, type CertifiedMember, certifiedCommittee } from '../committee.ts';
import {
  type DigestPreimage,
  type DigestPreimageWire,
  digestPreimageType,
  preimageFromWire,
  preimageToWire,
  stateDigestOf,
} from '../digest.ts';
import { epoch as epochOf, type GenesisHash, type RecordHash } from '../ids.ts';
import { certifiedMembersHash, committeeMembersType } from '../session/committee-certificate.ts';
import { subjectMessage } from '../subject.ts';
import { bytes32, uint16 } from '../subject-wire.ts';
import { type EpochRecord, hashedRecordOf, recordHashOfParts } from './record.ts';

export interface Handover {
  /** Of a block of the epoch, from the one that seals the next record on. */
  readonly preimage: DigestPreimage;
  /** Over the preimage's digest. */
  readonly certificate: StateCertificate;
  /** Of the next record, as the two hashes and the members. */
  readonly version: number;
  readonly parametersHash: Uint8Array;
  readonly restHash: Uint8Array;
  /** Undefined: as in the epoch before. */
  readonly members: readonly CertifiedMember[] | undefined;
}

interface HandoverWire extends Omit<Handover, 'preimage' | 'certificate' | 'members'> {
  readonly preimage: DigestPreimageWire;
  readonly certificate: CertificateWire;
  /** Empty: as in the epoch before. */
  readonly members: readonly CertifiedMember[];
}

export const handoverType = new ContainerType({
  preimage: digestPreimageType,
  certificate: certificateType,
  version: uint16,
  parametersHash: bytes32,
  restHash: bytes32,
  members: committeeMembersType,
});

/** Of a committee of 1,024. */
export const HANDOVER_BYTES_MAX = handoverType.maxSize;

export const handoverCodec = createCodec<Handover, HandoverWire>('handover', handoverType, HANDOVER_BYTES_MAX, {
  toWire: handoverToWire,
  fromWire: handoverFromWire,
});

export function handoverToWire(handover: Handover): HandoverWire {
  const { preimage, certificate, members = [] } = handover;
  return { ...handover, preimage: preimageToWire(preimage), certificate: certificateToWire(certificate), members };
}

/** Throws for a certificate of another kind. */
function handoverFromWire(wire: HandoverWire): Handover {
  const members = wire.members.length === 0 ? undefined : wire.members;
  const preimage = preimageFromWire(wire.preimage);
  return { ...wire, preimage, certificate: stateCertificateFromWire(wire.certificate), members };
}

/** `preimage` names `next`, and `certificate` is of epoch `record` over it. */
export function handoverOf(
  record: EpochRecord,
  next: EpochRecord,
  { preimage, certificate }: Pick<Handover, 'preimage' | 'certificate'>,
): Handover {
  const { version, parametersHash, restHash, members } = hashedRecordOf(next);
  const isSame = bytesEqual(certifiedMembersHash(members), certifiedMembersHash(record.members));
  return { preimage, certificate, version, parametersHash, restHash, members: isSame ? undefined : members };
}

/** Of the record that the handover leads to. `committee`: of its own epoch. */
export function recordHashOfHandover(
  genesisHash: GenesisHash,
  committee: CertifiedCommittee,
  { version, parametersHash, restHash, members }: Handover,
): RecordHash {
  const epoch = epochOf(committee.epoch + 1);
  return recordHashOfParts(genesisHash, {
    epoch,
    version,
    parametersHash,
    restHash,
    members: members ?? committee.members,
  });
}

export type HandoverFault =
  | 'epoch' // the certificate is of another epoch than the committee
  | 'digest' // the certificate is for another digest, block or height
  | 'record' // the preimage names another record
  | 'quorum'; // the signers are no quorum of the committee

/** As a verifier takes it. */
export interface HandoverStatement {
  readonly kind: 'aggregate';
  /** Of the signers, 48 bytes each. */
  readonly publicKeys: readonly Uint8Array[];
  readonly message: Uint8Array;
  /** 96 bytes. */
  readonly aggregate: Uint8Array;
}

interface HandoverStep {
  /** Must hold. */
  readonly statement: HandoverStatement;
  /** Of the next epoch, if the signature holds. */
  readonly next: CertifiedCommittee;
}

/** `committee`: of the handover's epoch, trusted. */
export function checkHandoverStructure(
  handover: Handover,
  genesisHash: GenesisHash,
  committee: CertifiedCommittee,
): Result<HandoverStep, HandoverFault> {
  const { preimage, certificate, members } = handover;
  const { subject, signers, aggregate } = certificate;
  if (subject.epoch !== committee.epoch) return fail('epoch');
  const sameBlock = subject.height === preimage.height && bytesEqual(subject.blockId, preimage.blockId);
  if (!sameBlock || !bytesEqual(subject.stateDigest, stateDigestOf(genesisHash, preimage))) return fail('digest');
  if (!bytesEqual(preimage.next, recordHashOfHandover(genesisHash, committee, handover))) return fail('record');
  if (!hasQuorumOfSigners(certificate, committee)) return fail('quorum');
  const publicKeys = signers.map((signer) => (committee.members[signer] as CertifiedMember).blsPublicKey);
  return ok({
    statement: { kind: 'aggregate', publicKeys, message: subjectMessage(genesisHash, subject), aggregate },
    next: certifiedCommittee(epochOf(committee.epoch + 1), members ?? committee.members),
  });
}
