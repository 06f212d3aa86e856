/**
 * Committee: the validators of an epoch, in order, with weights.
 *
 * quorum(S) iff 3 * weight(S) > 2 * W, blocking(S) iff 3 * weight(S) > W, where W is the total weight. Two quorums share an honest
 * validator (more than W/3); a quorum and a blocking set share a member.
 */
import type { PeerKey } from '@slipstream/primitives';
import { type Epoch, GENESIS_EPOCH } from './ids.ts';

export interface CertifiedMember {
  /** A positive integer. */
  readonly weight: number;
  /** 48 bytes, compressed. */
  readonly blsPublicKey: Uint8Array;
}

/** What checking a certificate takes: all that light clients know of a committee. */
export interface CertifiedCommittee {
  readonly epoch: Epoch;
  readonly members: readonly CertifiedMember[];
  readonly totalWeight: number;
}

export interface CommitteeMember extends CertifiedMember {
  readonly index: number;
  /** Ed25519; the transport authenticates it. */
  readonly peerKey: PeerKey;
  /** False: no view has it as leader. */
  readonly leads: boolean;
}

type NewMember = Omit<CommitteeMember, 'index' | 'leads'> & Partial<Pick<CommitteeMember, 'leads'>>;

export interface Committee extends CertifiedCommittee {
  readonly members: readonly CommitteeMember[];
}

/** A member leads unless it says otherwise. */
export function createCommittee(members: readonly NewMember[], epoch: Epoch = GENESIS_EPOCH): Committee {
  return {
    epoch,
    members: members.map((member, index) => ({ leads: true, ...member, index })),
    totalWeight: totalWeightOf(members),
  };
}

export function certifiedCommittee(epoch: Epoch, members: readonly CertifiedMember[]): CertifiedCommittee {
  return {
    epoch,
    members: members.map(({ weight, blsPublicKey }) => ({ weight, blsPublicKey })),
    totalWeight: totalWeightOf(members),
  };
}

function totalWeightOf(members: readonly CertifiedMember[]): number {
  return members.reduce((sum, member) => sum + member.weight, 0);
}

/** As a verifier takes them. */
export function epochKeysOf({ epoch, members }: Pick<CertifiedCommittee, 'epoch' | 'members'>): {
  readonly epoch: Epoch;
  readonly publicKeys: readonly Uint8Array[];
} {
  return { epoch, publicKeys: members.map(({ blsPublicKey }) => blsPublicKey) };
}

/** Distinct, existing indices. */
export function weightOf(signers: Iterable<number>, committee: CertifiedCommittee): number {
  let weight = 0;
  for (const signer of signers) weight += committee.members[signer]?.weight ?? 0;
  return weight;
}

export function isQuorum(weight: number, committee: Pick<Committee, 'totalWeight'>): boolean {
  return 3 * weight > 2 * committee.totalWeight;
}

/** The least weight that is a quorum. */
export function quorumWeight({ totalWeight }: Pick<Committee, 'totalWeight'>): number {
  return Math.floor((2 * totalWeight) / 3) + 1;
}

export function isBlocking(weight: number, committee: Pick<Committee, 'totalWeight'>): boolean {
  return 3 * weight > committee.totalWeight;
}
