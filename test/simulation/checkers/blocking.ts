/**
 * No honest member is blocked, at most a third of the weight is, and a node blocks the signer of an invalid vote in its quorum check by the
 * end of that check. Late votes are not checked, so a node may never block a liar; but few checks fail for one liar.
 */

import type { Epoch } from '@slipstream/types';
import type { CheckedLies } from './quorum-checks.ts';
import type { Check, ReportedEvent, Watched } from './watched.ts';
import { total } from './watched.ts';

export interface BlockingRecord {
  /** By honest node, with reasons. */
  blockedBy(member: number): ReadonlyMap<string, string>;
  readonly blockedMembers: readonly number[];
  /** This node's quorum check ended with bad votes. */
  quorumChecked(peer: string, found: CheckedLies, nowMs: number, check: Check): void;
  /** Checks whether due blocks have happened. Called with each event. */
  settle(nowMs: number, check: Check): void;
  ended(peer: string): void;
  started(peer: string): void;
  report(peer: string, event: ReportedEvent, check: Check): void;
}

/** Per process and liar. Checks under way at its block still fail: four kinds, in the current view and the next. */
const FAILED_CHECKS_MAX = 8;

interface Debt extends CheckedLies {
  readonly peer: string;
  readonly sinceMs: number;
}

export function createBlockingRecord(watched: Watched): BlockingRecord {
  const blockers = new Map<number, Map<string, string>>();
  const now = new Map<string, Set<number>>();
  const running = new Set<string>();
  const failedChecks = new Map<string, number>();
  let debts: readonly Debt[] = [];

  function onBlocked(
    peer: string,
    { epoch, member: index, reason, detail }: ReportedEvent['fields'],
    check: Check,
  ): void {
    const committee = watched.committeeOf(Number(epoch) as Epoch);
    const key = committee.members[Number(index)]?.peerKey ?? '';
    check(!watched.isHonest(key), 'honest nodes are never blocked', { by: peer, key, index, reason, detail });
    const member = watched.memberOf(key);
    if (member === undefined) return;
    const by = blockers.get(member) ?? new Map<string, string>();
    if (!by.has(peer)) by.set(peer, String(reason));
    blockers.set(member, by);
    const blocked = now.get(peer) ?? new Set();
    now.set(peer, blocked.add(member));
    const those = committee.members.filter(({ peerKey }) => blocked.has(watched.memberOf(peerKey) ?? -1));
    const weight = those.reduce((sum, each) => sum + each.weight, 0);
    check(3 * weight < total(committee), 'never a third of the weight is blocked', { by: peer, weight });
  }

  return {
    blockedBy: (member) => blockers.get(member) ?? new Map(),
    get blockedMembers() {
      return [...blockers.keys()].sort((a, b) => a - b);
    },
    quorumChecked(peer, { liars, each, certified }, nowMs, check) {
      if (!running.has(peer)) return;
      check(!certified, 'no certificate is made of what its signers did not sign', { by: peer, liars });
      debts = [...debts, { peer, liars, each, certified, sinceMs: nowMs }];
      for (const liar of liars) {
        const key = `${peer}/${liar}`;
        const count = (failedChecks.get(key) ?? 0) + 1;
        failedChecks.set(key, count);
        check(count <= FAILED_CHECKS_MAX, 'one liar makes few quorum checks fail', { by: peer, liar, count });
      }
    },
    settle(nowMs, check) {
      if (debts.length === 0) return;
      const due = debts.filter(({ sinceMs }) => sinceMs < nowMs);
      if (due.length === 0) return;
      debts = debts.filter(({ sinceMs }) => sinceMs >= nowMs);
      for (const { peer, liars, each } of due) {
        const isBlocked = (liar: number) => now.get(peer)?.has(liar) === true;
        const done = each ? liars.every(isBlocked) : liars.some(isBlocked);
        check(done, 'a validator that checked an invalid vote has blocked its signer', { by: peer, liars });
      }
    },
    ended(peer) {
      running.delete(peer);
      debts = debts.filter((debt) => debt.peer !== peer);
    },
    started(peer) {
      now.delete(peer);
      running.add(peer);
      for (const key of failedChecks.keys()) if (key.startsWith(`${peer}/`)) failedChecks.delete(key);
    },
    report(peer, { type, fields }, check) {
      if (type === 'peer.blocked' && typeof fields.member === 'number') {
        onBlocked(peer, fields, check);
      } else if (type === 'peer.blocked') {
        check(!watched.isHonest(String(fields.peer)), 'honest followers are never blocked', { by: peer, ...fields });
      } else if (type === 'alert.raised') {
        check(fields.rule !== 'too-many-offenders', 'no honest node finds too many offenders', { by: peer, ...fields });
      }
    },
  };
}
