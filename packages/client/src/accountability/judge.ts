/** Which certificates hold, each checked once and only when asked about: a check takes 25 ms or more. */
import { to0x } from '@slipstream/primitives';
import {
  type Certificate,
  type Committee,
  certificateCodec,
  committeeOf,
  type Genesis,
  genesisHashOf,
  subjectKey,
} from '@slipstream/types';
import { certificateFault } from '../verify-certificate.ts';

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

  return {
    committee,
    forged,
    holds(certificate) {
      const key = to0x(certificateCodec.encode(certificate));
      const known = verdicts.get(key);
      if (known !== undefined) return known;
      const fault = certificateFault(certificate, committee, genesisHash);
      verdicts.set(key, fault === undefined);
      if (fault !== undefined) forged.push(`${subjectKey(certificate.subject)}: ${fault}`);
      return fault === undefined;
    },
  };
}
