/** Which certificates hold, each checked once and only when asked about: a check takes 25 ms or more. */
import { to0x } from '@slipstream/primitives';
import { type Certificate, certificateCodec, subjectKey } from '@slipstream/types';
import type { EpochCommittees } from '../epochs/committees.ts';
import { certificateFault } from '../verify-certificate.ts';

export interface Judge {
  /** Signed by a quorum of its epoch. */
  holds(certificate: Certificate): boolean;
  /** Those found not to hold, and why. */
  readonly forged: readonly string[];
}

export function createJudge(committees: EpochCommittees): Judge {
  const verdicts = new Map<string, boolean>();
  const forged: string[] = [];

  return {
    forged,
    holds(certificate) {
      const key = to0x(certificateCodec.encode(certificate));
      const known = verdicts.get(key);
      if (known !== undefined) return known;
      const fault = certificateFault(certificate, committees);
      verdicts.set(key, fault === undefined);
      if (fault !== undefined) forged.push(`${subjectKey(certificate.subject)}: ${fault}`);
      return fault === undefined;
    },
  };
}
