import type { CheckContext } from '@slipstream/simulator';
import type { Committee, Epoch, GenesisHash } from '@slipstream/types';
import type { SignatureScheme } from '../harness/scheme.ts';

export interface Watched {
  readonly genesisHash: GenesisHash;
  readonly genesisId: Uint8Array;
  /** Of the first epoch. */
  readonly committee: Committee;
  committeeOf(epoch: Epoch): Committee;
  readonly scheme: SignatureScheme;
  isHonest(peer: string): boolean;
  /** The node's first network key, by which the checkers name it. */
  nodeOf(peer: string): string;
  /** Undefined for a full node. */
  memberOf(peer: string): number | undefined;
}

export type Check = CheckContext['check'];

/** Telemetry of a node, as notes called `report`. */
export interface ReportedEvent {
  readonly type: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Implemented independently: more than two thirds of the weight. */
export function weighsQuorum(committee: Committee, signers: Iterable<number>): boolean {
  return 3 * weigh(committee, signers) > 2 * total(committee);
}

export function weigh(committee: Committee, signers: Iterable<number>): number {
  let weight = 0;
  for (const signer of new Set(signers)) weight += committee.members[signer]?.weight ?? Number.NaN;
  return weight;
}

export function total(committee: Committee): number {
  return committee.members.reduce((sum, { weight }) => sum + weight, 0);
}
