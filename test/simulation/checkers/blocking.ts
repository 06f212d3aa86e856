/** Who blocked whom: never an honest member, never more than a third of the weight. */
import type { Check, ReportedEvent, Watched } from './watched.ts';
import { total, weigh } from './watched.ts';

export interface BlockingBook {
  /** Honest nodes that blocked this member, with the reason of each. */
  blockedBy(member: number): ReadonlyMap<string, string>;
  readonly blockedMembers: readonly number[];
  started(peer: string): void;
  report(peer: string, event: ReportedEvent, check: Check): void;
}

export function createBlockingBook(watched: Watched): BlockingBook {
  const blockers = new Map<number, Map<string, string>>();
  /** A block lasts for a life. */
  const now = new Map<string, Set<number>>();

  function onBlocked(peer: string, member: number, reason: string, detail: unknown, check: Check): void {
    const by = blockers.get(member) ?? new Map<string, string>();
    if (!by.has(peer)) by.set(peer, reason);
    blockers.set(member, by);
    const key = watched.committee.members[member]?.peerKey ?? '';
    check(!watched.isHonest(key), 'honest nodes are never blocked', { by: peer, member, reason, detail });
    const blocked = now.get(peer) ?? new Set();
    now.set(peer, blocked.add(member));
    const weight = weigh(watched.committee, blocked);
    check(3 * weight < total(watched.committee), 'never a third of the weight is blocked', { by: peer, weight });
  }

  return {
    blockedBy: (member) => blockers.get(member) ?? new Map(),
    get blockedMembers() {
      return [...blockers.keys()].sort((a, b) => a - b);
    },
    started(peer) {
      now.delete(peer);
    },
    report(peer, { type, fields }, check) {
      if (type === 'peer.blocked' && typeof fields.member === 'number') {
        onBlocked(peer, fields.member, String(fields.reason), fields.detail, check);
      } else if (type === 'peer.blocked') {
        check(!watched.isHonest(String(fields.peer)), 'honest followers are never blocked', { by: peer, ...fields });
      } else if (type === 'alert.raised') {
        check(fields.rule !== 'too-many-offenders', 'no honest node finds too many offenders', { by: peer, ...fields });
      }
    },
  };
}
