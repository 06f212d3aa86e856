/** Members by peer key: of the current epoch, and of its neighbours, whose frames count too. */
import type { PeerKey } from '@slipstream/ports';
import type { Committee, CommitteeMember } from '@slipstream/types';

export interface EpochMembers {
  readonly committee: Committee;
  current(peer: PeerKey): CommitteeMember | undefined;
  /** Of the epoch before, the current one, or the sealed next one. */
  has(peer: PeerKey): boolean;
  sealed(next: Committee): void;
  moved(next: Committee): void;
}

type Members = ReadonlyMap<PeerKey, CommitteeMember>;

export function createEpochMembers(first: Committee): EpochMembers {
  let committee = first;
  let before: Members = new Map();
  let now = byPeer(first);
  let next: Members = new Map();
  return {
    get committee() {
      return committee;
    },
    current: (peer) => now.get(peer),
    has: (peer) => now.has(peer) || next.has(peer) || before.has(peer),
    sealed(sealed) {
      if (sealed.epoch === committee.epoch + 1) next = byPeer(sealed);
    },
    moved(moved) {
      committee = moved;
      before = now;
      now = byPeer(moved);
      next = new Map();
    },
  };
}

function byPeer({ members }: Committee): Members {
  return new Map(members.map((member) => [member.peerKey, member]));
}
