/** Received proposals and confirmations: sender, form, consistency with others of the view (rule 4). */
import type { PeerKey } from '@slipstream/ports';
import { bytesEqual } from '@slipstream/primitives';
import { type Block, blockIdOf, type Confirmation, type Evidence, type Proposal } from '@slipstream/types';
import { blockMember, blockPeer, type Context, emit, isOfEpoch, memberOf, peerOf, report } from '../context.ts';
import type { Candidate } from '../proposal-store.ts';
import type { Sender } from '../verifications.ts';
import { onCertificate } from './adopt.ts';
import { dropBlock } from './finalize.ts';
import { blameFor } from './invalid-blocks.ts';
import { mayBeConfirmed, proposalFault } from './proposal-fault.ts';
import { verify } from './verify-proposals.ts';

function isWanted(context: Context, view: number): boolean {
  return view > context.lastFinal.view && view <= context.view + context.setting.options.lookaheadViews;
}

export function onProposal(context: Context, proposal: Proposal, from: PeerKey): void {
  const { block } = proposal;
  if (!isOfEpoch(context, block) || context.closed !== undefined) return;
  const leader = context.leaderOf(block.view);
  const relayed = isRelay(context, from, leader);
  if ((memberOf(context, from) !== leader && !relayed) || block.proposer !== leader) {
    blockPeer(context, from, 'wrong-signer', `proposal of view ${block.view}, which member ${leader} leads`);
    return;
  }
  for (const certificate of proposal.justification) onCertificate(context, certificate, from);
  if (!isWanted(context, block.view)) return;
  const fault = proposalFault(proposal.kind, block);
  if (fault) {
    blockPeer(context, from, 'malformed-frame', `proposal of view ${block.view}: ${fault}`);
    return;
  }
  const blockId = blockIdOf(block);
  const { kind, signature, justification } = proposal;
  const candidate = { kind, view: block.view, blockId, block, signature, justification, verified: false, asked: false };
  if (relayed) verifyRelayed(context, candidate, from);
  else if (take(context, candidate, from)) context.tree.add(blockId, block, context.nowMs);
}

/** A full node never votes, so it takes proposals of all leaders from any validator. */
function isRelay(context: Context, from: PeerKey, leader: number): boolean {
  const member = memberOf(context, from);
  return context.setting.self === undefined && member !== undefined && member !== leader;
}

/** Verified before it is stored: a forgery must not block the leader's real proposal. */
function verifyRelayed(context: Context, candidate: Candidate, from: PeerKey): void {
  const known = context.proposals
    .candidates(candidate.view)
    .some(({ kind, blockId }) => kind === candidate.kind && bytesEqual(blockId, candidate.blockId));
  if (!known) verify(context, from, [candidate], { type: 'relayed-proposal', candidate });
}

export function onRelayedVerified(context: Context, candidate: Candidate, sender: Sender, valid: boolean): void {
  const { view, blockId, block } = candidate;
  if (!valid) {
    if (sender !== 'self') blockPeer(context, sender, 'invalid-signature', `passed on a proposal of view ${view}`);
    return;
  }
  if (!block || !isWanted(context, view)) return;
  candidate.verified = true;
  const outcome = context.proposals.add(candidate);
  if (outcome.type === 'equivocation') {
    const check = { type: 'rival-proposal', first: outcome.first, second: candidate } as const;
    verify(context, sender, [outcome.first, candidate], check);
  } else {
    context.tree.add(blockId, block, context.nowMs);
    blameFor(context, candidate);
  }
}

export function onConfirmation(context: Context, confirmation: Confirmation, from: PeerKey): void {
  if (!isOfEpoch(context, confirmation) || context.closed !== undefined) return;
  const { view, blockId, signature } = confirmation;
  const leader = context.leaderOf(view);
  if (memberOf(context, from) !== leader) {
    blockPeer(context, from, 'wrong-signer', `confirmation in view ${view}, which member ${leader} leads`);
    return;
  }
  if (!isWanted(context, view)) return;
  const block = context.tree.get(blockId)?.block;
  if (block && !mayBeConfirmed(context, view, block)) return;
  const unchecked = { verified: false, asked: false };
  take(context, { kind: 'normal', view, blockId, block, signature, justification: [], ...unchecked }, from);
}

/**
 * True for a new, legal candidate. Its signature is checked only where a vote may rest on it: not at a full node that got it from the
 * leader, and a confirmation's only when needed (checkConfirmations).
 */
function take(context: Context, candidate: Candidate, from: PeerKey): boolean {
  const outcome = context.proposals.add(candidate);
  switch (outcome.type) {
    case 'known':
      return candidate.block !== undefined;
    case 'new': {
      if (candidate.view === context.view) context.arrivals.arrived(context.nowMs);
      const follows = context.setting.self === undefined;
      if (!follows && !isConfirmation(context, candidate))
        verify(context, from, [candidate], { type: 'proposal', candidate });
      return true;
    }
    case 'equivocation':
      verify(context, from, [outcome.first, candidate], {
        type: 'rival-proposal',
        first: outcome.first,
        second: candidate,
      });
      return false;
  }
}

/** The optimistic proposal of the same block is here. */
function isConfirmation({ proposals }: Context, { kind, view, blockId }: Candidate): boolean {
  const optimistic = kind === 'normal' ? proposals.at(view, 'optimistic') : undefined;
  return optimistic !== undefined && bytesEqual(optimistic.blockId, blockId);
}

/** Rule 4 needs a confirmation only in a view that was entered by a nullification. Other checks would waste a pairing per view. */
export function checkConfirmations(context: Context): void {
  const { view, entry, setting, proposals } = context;
  const candidate = setting.self === undefined ? undefined : proposals.at(view, 'normal');
  if (candidate === undefined || candidate.asked || candidate.verified) return;
  if (entry?.subject.kind !== 'nullify' && isConfirmation(context, candidate)) return;
  verify(context, peerOf(context, context.leaderOf(view)), [candidate], { type: 'proposal', candidate });
}

export function onProposalVerified(context: Context, candidate: Candidate, valid: boolean): void {
  if (valid) {
    candidate.verified = true;
    blameFor(context, candidate);
    const pair = context.proposals.conflict(candidate.view);
    if (pair?.first.verified && pair.second.verified) equivocated(context, pair.first, pair.second);
    relay(context, candidate);
    return;
  }
  context.proposals.remove(candidate);
  const entry = context.tree.get(candidate.blockId);
  const used = context.proposals
    .candidates(candidate.view)
    .some(({ blockId }) => bytesEqual(blockId, candidate.blockId));
  // A confirmation may name a block of another view, which belongs to that view's leader and may have votes.
  const isOfItsView = entry?.block.view === candidate.view;
  if (entry && isOfItsView && !used && !entry.final && context.certificates.notarized(candidate.view) === undefined) {
    dropBlock(context, entry);
    context.tree.remove(entry.id);
  }
  blockMember(context, context.leaderOf(candidate.view), 'invalid-signature', `proposal of view ${candidate.view}`);
}

/** Without the justification, whose verified certificates are relayed separately. */
function relay(context: Context, candidate: Candidate): void {
  const { kind, view, blockId, block, signature } = candidate;
  if (context.setting.self === undefined || !block) return;
  const twice = context.proposals
    .candidates(view)
    .some((other) => other !== candidate && other.verified && bytesEqual(other.blockId, blockId));
  if (!twice) emit(context, { type: 'relay-proposal', proposal: { kind, block, signature, justification: [] } });
}

export function onRivalVerified(
  context: Context,
  first: Candidate,
  second: Candidate,
  valid: readonly boolean[],
): void {
  if (valid[0] && valid[1]) equivocated(context, first, second);
  else blockMember(context, context.leaderOf(first.view), 'invalid-signature', `proposal of view ${first.view}`);
}

function equivocated(context: Context, first: Candidate, second: Candidate): void {
  const offender = context.leaderOf(first.view);
  const asProposal = (candidate: Candidate): Proposal | undefined =>
    candidate.block && {
      kind: candidate.kind,
      block: candidate.block as Block,
      justification: candidate.justification,
      signature: candidate.signature,
    };
  const a = asProposal(first);
  const b = asProposal(second);
  if (a && b) {
    const evidence: Evidence = { type: 'proposals', offender, first: a, second: b };
    emit(context, { type: 'evidence', evidence });
  }
  report(context, 'evidence', {
    kind: 'proposals',
    offender,
    epoch: context.setting.committee.epoch,
    view: first.view,
  });
  blockMember(
    context,
    offender,
    'equivocation',
    `two ${second.kind} proposals that contradict each other in view ${first.view}`,
  );
}
