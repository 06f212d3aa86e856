import type { PeerKey, PeerStatus, TelemetryFields } from '@slipstream/ports';
import type { Peer } from '@slipstream/schema';
import type { Committee } from '@slipstream/types';

type Blocked = NonNullable<Peer['blocked']>;

export interface PeerTable {
  listen(type: string, fields: TelemetryFields): void;
  blockedBy(peer: PeerKey, reason: string): void;
  unblocked(peer: PeerKey): void;
  isBlocked(peer: PeerKey): boolean;
  readonly blockedCount: number;
  blockedMembers(): readonly number[];
  view(status: PeerStatus): Peer;
  /** Peers of the transport, and blocked ones. */
  views(statuses: readonly PeerStatus[]): readonly Peer[];
}

/** Blocked peers that are no members and are remembered; the oldest are forgotten. */
const BLOCKED_MAX = 1000;

/** In the committee of the moment. */
export function memberIndex(committeeNow: () => Committee): (peer: string) => number | undefined {
  let committee: Committee | undefined;
  let members: ReadonlyMap<string, number> = new Map();
  return (peer) => {
    const now = committeeNow();
    if (now !== committee) {
      committee = now;
      members = new Map(now.members.map(({ peerKey, index }) => [peerKey, index]));
    }
    return members.get(peer);
  };
}

export function createPeerTable(committeeNow: () => Committee, wallMs: () => number): PeerTable {
  const memberOf = memberIndex(committeeNow);
  const blocked = new Map<string, Blocked>();

  function note(peer: string, block: Blocked): void {
    blocked.set(peer, block);
    if (blocked.size > BLOCKED_MAX) blocked.delete(blocked.keys().next().value as string);
  }

  function view(status: PeerStatus): Peer {
    const { peer, role, connected, address, failure, roundTripMs } = status;
    const { bytesIn, bytesOut, framesDropped, queuedBytes } = status;
    const counters = { bytesIn, bytesOut, framesDropped, queuedBytes };
    return {
      peer: `0x${peer}`,
      validator: memberOf(peer) ?? null,
      role: memberOf(peer) !== undefined ? 'validator' : role,
      connected,
      address: address ?? null,
      ...(failure === undefined ? {} : { failure }),
      roundTripMs: roundTripMs ?? null,
      ...counters,
      blocked: blocked.get(peer) ?? null,
    };
  }

  function absent(peer: string): Peer {
    const zero = { bytesIn: 0, bytesOut: 0, framesDropped: 0, queuedBytes: 0 };
    const role = memberOf(peer) !== undefined ? 'validator' : 'unknown';
    const known = { peer: `0x${peer}`, validator: memberOf(peer) ?? null, role } as const;
    return {
      ...known,
      connected: false,
      address: null,
      roundTripMs: null,
      ...zero,
      blocked: blocked.get(peer) ?? null,
    };
  }

  return {
    listen(type, fields) {
      if (type !== 'peer.blocked') return;
      const peer =
        fields.member === undefined ? String(fields.peer) : committeeNow().members[Number(fields.member)]?.peerKey;
      if (peer === undefined) return;
      const reason = String(fields.reason);
      note(peer, {
        reason,
        detail: String(fields.detail ?? ''),
        ...(fields.view === undefined ? {} : { view: Number(fields.view) }),
        atMs: wallMs(),
        by: fields.by === 'operator' ? 'operator' : 'node',
      });
    },
    blockedBy: (peer, reason) => note(peer, { reason, atMs: wallMs(), by: 'operator' }),
    unblocked(peer) {
      blocked.delete(peer);
    },
    isBlocked: (peer) => blocked.has(peer),
    get blockedCount() {
      return blocked.size;
    },
    blockedMembers: () => [...blocked.keys()].flatMap((peer) => memberOf(peer) ?? []),
    view,
    views(statuses) {
      const listed = new Set<string>(statuses.map(({ peer }) => peer));
      const absentees = [...blocked.keys()].filter((peer) => !listed.has(peer));
      return [...statuses.map(view), ...absentees.map(absent)];
    },
  };
}
