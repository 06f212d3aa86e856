/** Verifies certificates of one chain, each with the committee of its epoch. */
import { fail, ok, type Result, to0x } from '@slipstream/primitives';
import {
  type CertificateJson,
  CertificateSchema,
  certificateFromJson,
  createCheck,
  faultsText,
} from '@slipstream/schema';
import { type Certificate, hasQuorumOfSigners, subjectMessage } from '@slipstream/types';
import { committeesOf, type EpochCommittees } from './epochs/committees.ts';

export interface CertificateVerifier {
  /** 0x and hexadecimal: to compare with the one that is trusted. */
  readonly genesisHash: string;
  /** That it verifies with; they grow as handovers are followed. */
  readonly committees: EpochCommittees;
  /** `certificate`: JSON of the API. The error says what does not hold. */
  verify(certificate: unknown): Result<CertificateJson, string>;
}

const checkCertificate = createCheck(CertificateSchema);

/** `chain`: the genesis file's JSON, or committees followed from it. */
export function createCertificateVerifier(chain: unknown): Result<CertificateVerifier, string> {
  const trusted = committeesOf(chain);
  if (!trusted.ok) return fail(`no genesis file: ${trusted.error}`);
  const committees = trusted.value;
  return ok({
    genesisHash: to0x(committees.genesisHash),
    committees,
    verify(json) {
      const checked = checkCertificate(json);
      if (!checked.ok) return fail(`malformed: ${faultsText(checked.error)}`);
      const certificate = certificateFromJson(checked.value);
      if (!certificate.ok) return fail(`malformed: ${certificate.error}`);
      const fault = certificateFault(certificate.value, committees);
      return fault === undefined ? ok(checked.value) : fail(fault);
    },
  });
}

/** Undefined: signed by a quorum of the committee of its epoch (W10). */
export function certificateFault(certificate: Certificate, committees: EpochCommittees): string | undefined {
  const { subject, signers, aggregate } = certificate;
  const committee = committees.of(subject.epoch);
  if (committee === undefined) return unknownEpoch(subject.epoch);
  if (!hasQuorumOfSigners(certificate, committee)) return 'the signers are not a quorum of the committee';
  const message = subjectMessage(committees.genesisHash, subject);
  if (committees.aggregateHolds({ epoch: subject.epoch, message, signers, aggregate })) return undefined;
  return 'the aggregate is not a signature of these validators on this chain';
}

export function unknownEpoch(epoch: number): string {
  return `the committee of epoch ${epoch} is not known: handovers up to it have to be followed`;
}
