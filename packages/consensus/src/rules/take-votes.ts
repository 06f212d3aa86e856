/** Received votes: stored by signer, checked in bulk at quorum (signatures.md, "Vote buffer"). */
import type { PeerKey, QuorumResult } from '@slipstream/ports';
import { assert } from '@slipstream/primitives';
import { subjectKey, subjectMessage, type Vote } from '@slipstream/types';
import {
  blockMember,
  blockPeer,
  type Context,
  emit,
  isOfEpoch,
  memberOf,
  oldestRetainedView,
  report,
} from '../context.ts';
import type { Verification } from '../verifications.ts';
import type { BufferId } from '../vote-buffers.ts';
import { adopt, checkLater, isShown, replacementOf, tryNext } from './adopt.ts';
import { isOfInterest } from './closing.ts';
import { isInWindow } from './views.ts';

export function onVote(context: Context, vote: Vote, from: PeerKey): void {
  if (!isOfEpoch(context, vote.subject) || !isOfInterest(context, vote.subject)) return;
  const member = memberOf(context, from);
  if (member === undefined || vote.signer !== member) {
    blockPeer(
      context,
      from,
      'wrong-signer',
      `vote of member ${vote.signer} (${vote.subject.kind}, view ${vote.subject.view})`,
    );
    return;
  }
  if (!isInWindow(context, vote.subject.view)) return;
  if (isCheckedAlone(context, vote)) checkVotes(context, from, [vote], { type: 'alone', vote });
  else addVote(context, vote, false);
}

function isCheckedAlone(context: Context, { signer, subject }: Vote): boolean {
  if (context.blockList.isSuspect(signer)) return true;
  const { voteChecks = 'at-quorum' } = context.setting;
  return voteChecks === 'on-arrival' || (voteChecks === 'until-quorum' && !isShown(context, subject));
}

type VoteCheck =
  | { readonly type: 'alone'; readonly vote: Vote }
  | { readonly type: 'conflict'; readonly first: Vote; readonly second: Vote }
  | { readonly type: 'other-signature'; readonly vote: Vote };

function checkVotes(context: Context, from: PeerKey, votes: readonly Vote[], check: VoteCheck): void {
  const token = context.verifications.begin(from, check);
  if (token === undefined) return;
  const items = votes.map(({ subject, signer, signature }) => ({
    epoch: subject.epoch,
    message: subjectMessage(context.setting.genesisHash, subject),
    signer,
    signature,
  }));
  emit(context, { type: 'verify', token, request: { type: 'votes', votes: items, priority: 'consensus' } });
}

/** `verified`: an own vote, or one that was checked alone. Votes below the retention are dropped, because their slots are gone. */
export function addVote(context: Context, vote: Vote, verified: boolean): void {
  if (vote.subject.view < oldestRetainedView(context)) return;
  const outcome = context.votes.add(vote, verified);
  const from = context.setting.committee.members[vote.signer]?.peerKey as PeerKey;
  switch (outcome.type) {
    case 'duplicate':
      return;
    case 'other-signature':
      checkVotes(context, from, [vote], { type: 'other-signature', vote });
      return;
    case 'conflict':
      checkVotes(context, from, [outcome.existing, vote], { type: 'conflict', first: outcome.existing, second: vote });
      return;
    case 'stored':
      countVote(context, vote.signer, isShown(context, vote.subject));
      checkLater(context, vote.subject);
      return;
  }
}

function countVote({ votesSeen, votesLate }: Context, member: number, isLate: boolean): void {
  votesSeen[member] = (votesSeen[member] ?? 0) + 1;
  if (isLate) votesLate[member] = (votesLate[member] ?? 0) + 1;
}

/**
 * One aggregate check per completed quorum, unless its certificate is known or being checked. State votes first: a state certificate
 * replaces a Finalization (rule 8), whose quorum then needs no check.
 */
export function checkQuorums(context: Context): void {
  if (context.toCheck.size === 0) return;
  const ids = [...context.toCheck.values()];
  context.toCheck.clear();
  for (const id of ids) if (id.kind === 'certify') checkQuorum(context, id);
  for (const id of ids) if (id.kind !== 'certify') checkQuorum(context, id);
}

function checkQuorum(context: Context, id: BufferId): void {
  const { verifications } = context;
  const replacement = replacementOf(id);
  if (isShown(context, id) || verifications.isChecking(id)) return;
  if (replacement && verifications.isChecking(replacement)) return;
  const ready = context.votes.ready(id);
  if (!ready) return;
  const { subject, messageKey, request } = ready;
  const check = { type: 'quorum', messageKey, subject, votes: request.votes.length } as const;
  const token = context.verifications.begin('self', check);
  assert(token !== undefined, 'own checks are never refused');
  emit(context, { type: 'verify', token, request: { type: 'quorum', request } });
}

type QuorumCheck = Extract<Verification, { type: 'quorum' }>;

export function onQuorumChecked(context: Context, check: QuorumCheck, result: QuorumResult): void {
  const { messageKey, subject, votes } = check;
  const done = context.votes.complete(messageKey, subject, result);
  if (!done) return context.verifications.dropWaiting(subject);
  const fields = { kind: subject.kind, view: subject.view, votes, checks: result.checks, ms: result.tookMs };
  report(context, 'quorum.verified', fields);
  if (done.certificate) {
    context.verifications.dropWaiting(subject);
    adopt(context, done.certificate);
    return;
  }
  report(context, 'bisection', { ...fields, offenders: result.offenders });
  for (const offender of result.offenders) {
    blockMember(context, offender, 'invalid-signature', `${subject.kind} of view ${subject.view} (found by bisection)`);
    context.votes.removeUnproven(offender, subject.view);
  }
  tryNext(context, subject);
}

export function onConflictChecked(context: Context, first: Vote, second: Vote, valid: readonly boolean[]): void {
  const offender = first.signer;
  const what = `${subjectKey(first.subject)} and ${subjectKey(second.subject)}`;
  if (!(valid[0] && valid[1])) {
    if (!valid[0]) context.votes.remove(first);
    blockMember(context, offender, 'invalid-signature', `one of ${what}`);
    return;
  }
  emit(context, { type: 'evidence', evidence: { type: 'votes', offender, first, second } });
  report(context, 'evidence', { kind: 'votes', offender, epoch: first.subject.epoch, view: first.subject.view });
  blockMember(context, offender, 'conflicting-votes', what);
}

/** BLS signatures are unique, so at most one of two on a message is valid. */
export function onOtherSignatureChecked(context: Context, vote: Vote, valid: boolean): void {
  if (valid) context.votes.replace(vote);
  blockMember(context, vote.signer, 'invalid-signature', `two signatures on ${subjectKey(vote.subject)}`);
  if (valid) checkLater(context, vote.subject);
}

export function onVoteChecked(context: Context, vote: Vote, valid: boolean): void {
  const { signer, subject } = vote;
  if (valid) addVote(context, vote, true);
  else if (!context.blockList.isSuspect(signer)) blockMember(context, signer, 'invalid-signature', subjectKey(subject));
}
