/** Verifies certificates of one chain with its genesis file alone. A check takes 25 ms or more: a pairing in JavaScript. */
import { verifyCertificateAggregate } from '@slipstream/crypto/browser';
import { fail, ok, type Result, to0x } from '@slipstream/primitives';
import {
  type CertificateJson,
  CertificateSchema,
  certificateFromJson,
  createCheck,
  faultsText,
} from '@slipstream/schema';
import {
  type Certificate,
  type Committee,
  committeeOf,
  type GenesisHash,
  genesisFromJson,
  genesisHashOf,
  hasQuorumOfSigners,
  subjectMessage,
} from '@slipstream/types';

export interface CertificateVerifier {
  /** 0x and hexadecimal: to compare with the one that is trusted. */
  readonly genesisHash: string;
  /** `certificate`: JSON of the API. The error says what does not hold. */
  verify(certificate: unknown): Result<CertificateJson, string>;
}

const checkCertificate = createCheck(CertificateSchema);

/** `genesis`: the file's JSON. */
export function createCertificateVerifier(genesis: unknown): Result<CertificateVerifier, string> {
  const parsed = genesisFromJson(genesis);
  if (!parsed.ok) return fail(`no genesis file: ${parsed.error.join('; ')}`);
  const committee = committeeOf(parsed.value);
  const genesisHash = genesisHashOf(parsed.value);
  return ok({
    genesisHash: to0x(genesisHash),
    verify(json) {
      const checked = checkCertificate(json);
      if (!checked.ok) return fail(`malformed: ${faultsText(checked.error)}`);
      const certificate = certificateFromJson(checked.value);
      if (!certificate.ok) return fail(`malformed: ${certificate.error}`);
      const fault = certificateFault(certificate.value, committee, genesisHash);
      return fault === undefined ? ok(checked.value) : fail(fault);
    },
  });
}

/** Undefined: signed by a quorum of the committee. */
export function certificateFault(
  certificate: Certificate,
  committee: Committee,
  genesisHash: GenesisHash,
): string | undefined {
  const { subject, signers, aggregate } = certificate;
  if (!hasQuorumOfSigners(certificate, committee)) return 'the signers are not a quorum of the committee';
  const publicKeys = signers.map((signer) => committee.members[signer]?.blsPublicKey ?? new Uint8Array(0));
  const message = subjectMessage(genesisHash, subject);
  if (verifyCertificateAggregate({ publicKeys, message, aggregate })) return undefined;
  return 'the aggregate is not a signature of these validators on this chain';
}
