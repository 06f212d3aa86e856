import { ByteVectorType, ContainerType, createCodec } from '@slipstream/primitives';
import type { CertifiedCommittee } from './committee.ts';
import { isQuorum, weightOf } from './committee.ts';
import { BLS_AGGREGATE_BYTES } from './limits.ts';
import type { Certify, Finalize, Notarize, Nullify, Subject } from './subject.ts';
import {
  bitmapToSigners,
  type SubjectWire,
  signerBitmapType,
  signersToBitmap,
  subjectFromWire,
  subjectToWire,
  subjectType,
} from './subject-wire.ts';

export interface Certificate<S extends Subject = Subject> {
  readonly subject: S;
  /** Ascending. */
  readonly signers: readonly number[];
  /** 96 bytes, compressed. */
  readonly aggregate: Uint8Array;
}

export type Notarization = Certificate<Notarize>;
export type Nullification = Certificate<Nullify>;
export type Finalization = Certificate<Finalize>;
export type StateCertificate = Certificate<Certify>;

export const certificateType = new ContainerType({
  subject: subjectType,
  signers: signerBitmapType,
  aggregate: new ByteVectorType(BLS_AGGREGATE_BYTES),
});

export interface CertificateWire {
  readonly subject: SubjectWire;
  readonly signers: Uint8Array;
  readonly aggregate: Uint8Array;
}

export function certificateToWire(certificate: Certificate): CertificateWire {
  return {
    subject: subjectToWire(certificate.subject),
    signers: signersToBitmap(certificate.signers),
    aggregate: certificate.aggregate,
  };
}

export function certificateFromWire(wire: CertificateWire): Certificate {
  return {
    subject: subjectFromWire(wire.subject),
    signers: bitmapToSigners(wire.signers),
    aggregate: wire.aggregate,
  };
}

/** Throws for one of another kind. */
export function stateCertificateFromWire(wire: CertificateWire): StateCertificate {
  const certificate = certificateFromWire(wire);
  if (certificate.subject.kind !== 'certify') throw new RangeError('it has to be a state certificate');
  return certificate as StateCertificate;
}

export const CERTIFICATE_BYTES_MAX = certificateType.maxSize;

export const certificateCodec = createCodec<Certificate, CertificateWire>(
  'certificate',
  certificateType,
  CERTIFICATE_BYTES_MAX,
  { toWire: certificateToWire, fromWire: certificateFromWire },
);

/** W10: a certificate is judged by the committee of its own epoch. Checks no signature. */
export function hasQuorumOfSigners(certificate: Certificate, committee: CertifiedCommittee): boolean {
  if (certificate.subject.epoch !== committee.epoch) return false;
  const last = certificate.signers[certificate.signers.length - 1];
  if (last === undefined || last >= committee.members.length) return false;
  return isQuorum(weightOf(certificate.signers, committee), committee);
}
