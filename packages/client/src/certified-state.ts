/** What each proof ends in: digests up to one that a quorum of a known committee certified. */
import { counted, ok, type Result, to0x } from '@slipstream/primitives';
import { type CertifiedCommittee, type CertifiedState, type ProofSignature, weightOf } from '@slipstream/types';
import type { EpochCommittees } from './epochs/committees.ts';
import { unknownEpoch } from './verify-certificate.ts';

export const STATE_FAULTS = {
  chain: 'the digests do not follow from one another',
  digest: 'the certificate is for another digest, block or height',
  quorum: 'the signers are not a quorum of the committee',
} as const;

export const FALSE_AGGREGATE = 'the aggregate is not a signature of these validators on this state';

export function trustText(committees: EpochCommittees): string {
  const trusted = committees.newest();
  const of = committees.chain === undefined ? `epoch ${trusted.epoch}` : `chain ${committees.chain}`;
  return `${of}, ${counted(trusted.members.length, 'validator')}, ${to0x(committees.genesisHash)}`;
}

/** `handovers`: JSON of those that came with the proof. One that does not hold is no fault where the committee is known without it. */
export function committeeOfEpoch(
  committees: EpochCommittees,
  epoch: number,
  handovers: readonly unknown[],
): Result<CertifiedCommittee, string> {
  const followed = handovers.length === 0 ? ok(committees.newest()) : committees.follow(handovers);
  const committee = committees.of(epoch);
  if (committee !== undefined) return ok(committee);
  return followed.ok ? { ok: false, error: unknownEpoch(epoch) } : followed;
}

export function committeeText({ epoch, members }: CertifiedCommittee): string {
  return `epoch ${epoch}, ${counted(members.length, 'validator')}`;
}

/** Of digests, certificate and quorum; valid only for passed steps. At least one preimage. */
export function stateTexts(
  { preimages, certificate }: CertifiedState,
  committee: CertifiedCommittee,
): readonly string[] {
  const { subject, signers } = certificate;
  return [
    `${counted(preimages.length, 'digest')}, height ${preimages[0]?.height} to ${subject.height}`,
    `certified at height ${subject.height}, view ${subject.view}: ${to0x(subject.stateDigest)}`,
    `weight ${weightOf(signers, committee)} of ${committee.totalWeight}, more than two thirds`,
  ];
}

export function signatureText({ signers, message }: ProofSignature): string {
  return `one aggregate of ${counted(signers.length, 'signature')} over ${to0x(message)}`;
}
