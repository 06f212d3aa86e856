/** Keys that a node takes one after another: a rotation goes from one pair to the next. */
import type { PeerKey } from '@slipstream/ports';
import { sha256, toHex, utf8 } from '@slipstream/primitives';
import type { Committee } from '@slipstream/types';

export interface NodeKeys {
  /** Of the signature scheme, by number. */
  readonly blsKey: number;
  readonly peerKey: PeerKey;
}

/** Above the number of nodes. */
const KEYS_APART = 1_000;

export function createNodeKeys(seed: string, index: number, first: PeerKey, further: number): readonly NodeKeys[] {
  return Array.from({ length: further + 1 }, (_, turn) => ({
    blsKey: index + turn * KEYS_APART,
    peerKey: turn === 0 ? first : (toHex(sha256(utf8(`peer ${seed} ${index} ${turn}`))) as PeerKey),
  }));
}

/** As the checkers name nodes. */
export function withFirstKeys(committee: Committee, nodeOf: (peer: string) => string): Committee {
  const members = committee.members.map((member) => ({ ...member, peerKey: nodeOf(member.peerKey) as PeerKey }));
  return { ...committee, members };
}
