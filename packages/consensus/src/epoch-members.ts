/** Members by peer key: of the current epoch, and of its neighbours, whose frames count too. */
import type { PeerKey } from '@slipstream/ports';
import type { Committee, CommitteeMember, Heartbeat } from '@slipstream/types';
import { HEARTBEAT_MS } from './options.ts';
import { createPeerInterval } from './peer-interval.ts';

export interface EpochMembers {
  readonly committee: Committee;
  current(peer: PeerKey): CommitteeMember | undefined;
  /** Of the epoch before, the current one, or the sealed next one. */
  has(peer: PeerKey): boolean;
  /** Other peers report only from another epoch, and rarely: each report costs a step of the core. */
  mayReport(peer: PeerKey, heartbeat: Pick<Heartbeat, 'epoch'>, nowMs: number): boolean;
  sealed(next: Committee): void;
  moved(next: Committee): void;
}

type Members = ReadonlyMap<PeerKey, CommitteeMember>;

export function createEpochMembers(first: Committee): EpochMembers {
  let committee = first;
  let before: Members = new Map();
  let now = byPeer(first);
  let next: Members = new Map();
  const reports = createPeerInterval(HEARTBEAT_MS / 2);
  const has = (peer: PeerKey) => now.has(peer) || next.has(peer) || before.has(peer);
  return {
    get committee() {
      return committee;
    },
    current: (peer) => now.get(peer),
    has,
    mayReport: (peer, { epoch }, nowMs) => has(peer) || (epoch !== committee.epoch && reports.pass(peer, nowMs)),
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
