/** Which certificates hold, each checked once and only when asked about: a check takes 25 ms or more. */
import { verifyCertificateAggregate } from '@slipstream/crypto/browser';
import { to0x } from '@slipstream/primitives';
import {
  type Certificate,
  type Committee,
  certificateCodec,
  committeeOf,
  type Genesis,
  genesisHashOf,
  hasQuorumOfSigners,
  subjectKey,
  subjectMessage,
} from '@slipstream/types';

export interface Judge {
  readonly committee: Committee;
  /** Signed by a quorum. */
  holds(certificate: Certificate): boolean;
  /** Those found not to hold, and why. */
  readonly forged: readonly string[];
}

export function createJudge(genesis: Genesis): Judge {
  const committee = committeeOf(genesis);
  const genesisHash = genesisHashOf(genesis);
  const verdicts = new Map<string, boolean>();
  const forged: string[] = [];

  function faultOf(certificate: Certificate): string | undefined {
    const { subject, signers, aggregate } = certificate;
    if (!hasQuorumOfSigners(certificate, committee)) return 'the signers are not a quorum of the committee';
    const publicKeys = signers.map((signer) => committee.members[signer]?.blsPublicKey ?? new Uint8Array(0));
    const message = subjectMessage(genesisHash, subject);
    if (verifyCertificateAggregate({ publicKeys, message, aggregate })) return undefined;
    return 'the aggregate is not a signature of these validators on this chain';
  }

  return {
    committee,
    forged,
    holds(certificate) {
      const key = to0x(certificateCodec.encode(certificate));
      const known = verdicts.get(key);
      if (known !== undefined) return known;
      const fault = faultOf(certificate);
      verdicts.set(key, fault === undefined);
      if (fault !== undefined) forged.push(`${subjectKey(certificate.subject)}: ${fault}`);
      return fault === undefined;
    },
  };
}
