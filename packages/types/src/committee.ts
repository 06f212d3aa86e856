/**
 * Committee: the validators of an epoch, in order, with weights.
 *
 * quorum(S) iff 3 * weight(S) > 2 * W, blocking(S) iff 3 * weight(S) > W, where W is the total weight. Two quorums share an honest
 * validator (more than W/3); a quorum and a blocking set share a member.
 */
import type { PeerKey } from '@slipstream/primitives';
import { type Epoch, GENESIS_EPOCH } from './ids.ts';

export interface CommitteeMember {
  readonly index: number;
  /** A positive integer. */
  readonly weight: number;
  /** 48 bytes, compressed. */
  readonly blsPublicKey: Uint8Array;
  /** Ed25519; the transport authenticates it. */
  readonly peerKey: PeerKey;
}

export interface Committee {
  readonly epoch: Epoch;
  readonly members: readonly CommitteeMember[];
  readonly totalWeight: number;
}

export function createCommittee(
  members: readonly Omit<CommitteeMember, 'index'>[],
  epoch: Epoch = GENESIS_EPOCH,
): Committee {
  return {
    epoch,
    members: members.map((member, index) => ({ ...member, index })),
    totalWeight: members.reduce((sum, member) => sum + member.weight, 0),
  };
}

/** As a verifier takes them. */
export function epochKeysOf({ epoch, members }: Pick<Committee, 'epoch' | 'members'>): {
  readonly epoch: Epoch;
  readonly publicKeys: readonly Uint8Array[];
} {
  return { epoch, publicKeys: members.map(({ blsPublicKey }) => blsPublicKey) };
}

/** Distinct, existing indices. */
export function weightOf(signers: Iterable<number>, committee: Committee): number {
  let weight = 0;
  for (const signer of signers) weight += committee.members[signer]?.weight ?? 0;
  return weight;
}

export function isQuorum(weight: number, committee: Pick<Committee, 'totalWeight'>): boolean {
  return 3 * weight > 2 * committee.totalWeight;
}

export function isBlocking(weight: number, committee: Pick<Committee, 'totalWeight'>): boolean {
  return 3 * weight > committee.totalWeight;
}
