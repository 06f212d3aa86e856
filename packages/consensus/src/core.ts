/**
 * The consensus core: Simplex with optimistic proposals and state votes, as a pure state machine.
 *
 *   event --> handler writes the stores --> applyRules: every rule, until none fires --> effects
 *
 * A rule decides from the stores alone, regardless of arrival order, so a replayed log, a late certificate and an early proposal take
 * the same path. Votes and certificates of one step leave in one frame. Why it is safe: docs/protocol/consensus.md.
 *
 * Sources: Chan and Pass, "Simplex Consensus", 2023; "Moonshot", 2024, AIP-131 (optimistic proposals); Zaptos, arXiv 2501.10612
 * (state votes beside finalize votes).
 */
import { unreachable } from '@slipstream/primitives';
import {
  height as asHeight,
  view as asView,
  type Certificate,
  type Epoch,
  type Heartbeat,
  hexOf,
  type Proposal,
  type View,
  type Vote,
} from '@slipstream/types';
import { blockPeer, type Context, type CoreSetting, emit, epochOf, isOfEpoch, memberOf, wakeAt } from './context.ts';
import { type CoreState, contextOf, freshState, stateOf } from './core-state.ts';
import type { Effect, Event, Verdict } from './events.ts';
import { HEARTBEAT_MS } from './options.ts';
import { believedHeight } from './reported-heights.ts';
import { restoreLog } from './restore-log.ts';
import { activateBlocks } from './rules/activate.ts';
import { onCertificate, onCertificateVerified } from './rules/adopt.ts';
import { watchQuorum } from './rules/dead-leaders.ts';
import { leaderWaitMs } from './rules/execution-lag.ts';
import { onFetched } from './rules/fetched.ts';
import { certifyExecuted, deliverFinal, finalizeNotarized } from './rules/finalize.ts';
import { onPayloadChecked } from './rules/invalid-blocks.ts';
import { notarizeCurrentView, notarizeNextView } from './rules/notarize.ts';
import { flush } from './rules/outbox.ts';
import { fitBodies } from './rules/proposal-fault.ts';
import { onPayloadBuilt, proposeIfLeading } from './rules/propose.ts';
import { nullifyRefused } from './rules/refused-views.ts';
import { newestOf, resendAll } from './rules/resend.ts';
import { onRangeVerified } from './rules/served-ranges.ts';
import {
  checkConfirmations,
  onConfirmation,
  onProposal,
  onProposalVerified,
  onRelayedVerified,
  onRivalVerified,
} from './rules/take-proposals.ts';
import {
  addVote,
  checkQuorums,
  onConflictChecked,
  onOtherSignatureChecked,
  onQuorumChecked,
  onVote,
  onVoteChecked,
} from './rules/take-votes.ts';
import { enterViews, nullifyOnTimeout, resendOnRetry, startView } from './rules/views.ts';

export interface Core {
  /** nowMs: monotonic; wallMs: of day. Effects must be carried out in order. */
  step(event: Event, nowMs: number, wallMs: number): readonly Effect[];
  status(): CoreStatus;
  /** Newest retained messages of a member, for its signing-history query. */
  newestOf(member: number): {
    readonly votes: readonly Vote[];
    readonly certificates: readonly Certificate[];
    readonly proposals: readonly Proposal[];
  };
  certificatesInRange(from: View, to: View, limit: number): readonly Certificate[];
  /** For a new connection: certificates from the last final view on, and the last state certificate. */
  newest(limit: number): readonly Certificate[];
  blockById: Context['tree']['get'];
  leaderOf(view: View): number;
  /** Operator's unblocking. */
  lift(member: number): void;
  /** Not a copy. */
  state(): CoreState;
}

export interface CoreStatus {
  readonly epoch: Epoch;
  readonly view: View;
  readonly leader: number;
  readonly finalizedHeight: number;
  readonly finalizedView: View;
  readonly certifiedHeight: number;
  /** By the application. */
  readonly committedHeight: number;
  readonly signing: boolean;
  /** By member: it reported to cast no vote up to this view; 0: none. */
  readonly refusedViewOf: readonly number[];
  readonly blocked: readonly number[];
  readonly lastMessageMs: readonly number[];
  /** By member, since start: votes, and those after a quorum had formed without them. */
  readonly votesSeen: readonly number[];
  readonly votesLate: readonly number[];
  readonly timeoutMultiplier: number;
  /** See reported-heights.ts. */
  readonly highestReportedHeight: number;
  /** Offenders not blocked, because a third of the weight is blocked. */
  readonly suspects: number;
}

export function createCore(setting: CoreSetting, nowMs: number, wallMs: number): Core {
  const context = contextOf(setting, freshState(setting, nowMs, wallMs));
  for (const member of setting.blocked ?? []) context.blockList.block(member);
  restoreLog(context);
  return coreOf(context);
}

/** Owns `state` from then on. */
export function resumeCore(setting: CoreSetting, state: CoreState): Core {
  return coreOf(contextOf(setting, state));
}

function coreOf(context: Context): Core {
  return {
    step(event, now, wall) {
      context.nowMs = now;
      context.wallMs = wall;
      context.wakeAtMs = Number.POSITIVE_INFINITY;
      handle(context, event);
      applyRules(context);
      return context.effects.splice(0);
    },
    status: () => ({
      epoch: epochOf(context),
      view: context.view,
      leader: context.leaderOf(context.view),
      finalizedHeight: context.tree.root.block.height,
      finalizedView: context.lastFinal.view,
      certifiedHeight: context.lastState.height,
      committedHeight: context.committedHeight,
      signing: context.signing,
      refusedViewOf: context.refusedViewOf,
      blocked: context.blockList.blocked,
      lastMessageMs: context.lastMessageMs,
      votesSeen: context.votesSeen,
      votesLate: context.votesLate,
      timeoutMultiplier: context.pacemaker.multiplier,
      highestReportedHeight: reportedHeight(context),
      suspects: context.blockList.suspects,
    }),
    newestOf: (member) => newestOf(context, member),
    certificatesInRange: (from, to, limit) => context.certificates.inRange(from, to, limit),
    newest(limit) {
      const { lastFinal, lastState, certificates } = context;
      const known = [lastState.certificate, lastFinal.certificate].filter((certificate) => certificate !== undefined);
      const above = certificates.inRange(lastFinal.view, asView(Number.MAX_SAFE_INTEGER), limit - known.length);
      return [...new Set([...known, ...above])];
    },
    blockById: (id) => context.tree.get(id),
    leaderOf: context.leaderOf,
    lift: (member) => context.blockList.lift(member),
    state: () => stateOf(context),
  };
}

/** Counts members that reported a height, and this member beside others. */
function reportedHeight({ setting, finalHeightOf, tree }: Context): number {
  const { committee, self } = setting;
  const others = committee.members.flatMap(({ index, weight }) => {
    const height = finalHeightOf[index] ?? 0;
    return index !== self && height > 0 ? [{ height, weight }] : [];
  });
  const own = self === undefined ? undefined : committee.members[self];
  if (own === undefined || others.length === 0) return believedHeight(others);
  return believedHeight([...others, { height: tree.root.block.height, weight: own.weight }]);
}

function handle(context: Context, event: Event): void {
  switch (event.type) {
    case 'tick':
    case 'peer-behind':
      return;
    case 'signing-enabled':
      return onSigningEnabled(context, event.finalizedUpToView);
    case 'peer-connected':
      return resendAll(context, event.peer);
    case 'consensus-frame':
      return onConsensusFrame(context, event);
    case 'proposal':
      if (acceptFrom(context, event.from)) onProposal(context, event.proposal, event.from);
      return;
    case 'heartbeat':
      if (acceptFrom(context, event.from)) onHeartbeat(context, memberOf(context, event.from), event.heartbeat);
      return;
    case 'cast-done':
      return onCastDone(context, event);
    case 'propose-done':
      return context.own.keepProposal(event.proposal);
    case 'verified':
      return onVerified(context, event.token, event.verdict);
    case 'payload-built':
      return onPayloadBuilt(context, event.request, event.payload);
    case 'payload-checked':
      return onPayloadChecked(context, event.blockId, event.verdict);
    case 'executed':
      return onExecuted(context, event);
    case 'offence':
      return blockPeer(context, event.peer, event.reason, event.detail);
    case 'pending-changed':
      context.pending = event.pending;
      return context.pacemaker.waits(context.nowMs, leaderWaitMs(context));
    case 'sealed':
      context.seal = { recordHash: event.recordHash, height: event.height };
      return context.pacemaker.waits(context.nowMs, leaderWaitMs(context));
    case 'certified-below':
      return raiseCertified(context, event.height);
    case 'committed':
      context.committedHeight = event.height;
      return;
    case 'fetched':
      return onFetched(context, event);
    default:
      return unreachable(event, 'event');
  }
}

/** Paces blocks; certificates of the epoch before are not stored here. */
function raiseCertified(context: Context, height: number): void {
  const { lastState } = context;
  if (height > lastState.height) context.lastState = { ...lastState, height: asHeight(height) };
}

type EventOf<Type extends Event['type']> = Extract<Event, { readonly type: Type }>;

function onSigningEnabled(context: Context, finalizedUpToView: EventOf<'signing-enabled'>['finalizedUpToView']): void {
  context.signing = true;
  context.finalizedUpToView = finalizedUpToView;
  if (context.closed === undefined) startView(context);
  resendAll(context, undefined);
}

function onConsensusFrame(context: Context, { from, frame }: EventOf<'consensus-frame'>): void {
  if (!acceptFrom(context, from)) return;
  // Only from members: each certificate costs a check, and other peers change keys at no cost.
  const certificates = memberOf(context, from) === undefined ? [] : frame.certificates;
  for (const certificate of certificates) onCertificate(context, certificate, from);
  for (const confirmation of frame.confirmations) onConfirmation(context, confirmation, from);
  for (const vote of frame.votes) onVote(context, vote, from);
}

function onCastDone(context: Context, { votes, confirmation }: EventOf<'cast-done'>): void {
  for (const vote of votes) {
    context.own.keep(vote);
    addVote(context, vote, true);
  }
  if (confirmation) context.own.keepProposal(confirmation);
}

function onExecuted(context: Context, { blockId, digest }: EventOf<'executed'>): void {
  const entry = context.tree.get(blockId);
  if (!entry || !isOfEpoch(context, entry.block)) return; // the root of an epoch is certified in the one before
  entry.digest = digest;
  context.toCertify.set(hexOf(entry.id), entry);
}

function onHeartbeat(context: Context, member: number | undefined, heartbeat: Heartbeat): void {
  const { epoch, finalizedHeight, refusedView } = heartbeat;
  // Of a committee that has left whole no member reports more.
  if (epoch > epochOf(context)) context.laterHeight = Math.max(context.laterHeight, finalizedHeight);
  if (member === undefined) return;
  context.finalHeightOf[member] = finalizedHeight;
  context.refusedViewOf[member] = refusedView;
}

/** False for blocked senders. */
function acceptFrom(context: Context, from: Parameters<typeof memberOf>[1]): boolean {
  const member = memberOf(context, from);
  if (member === undefined) return true;
  if (context.blockList.isBlocked(member)) return false;
  context.lastMessageMs[member] = context.nowMs;
  return true;
}

function onVerified(context: Context, token: number, verdict: Verdict): void {
  const found = context.verifications.end(token);
  if (!found) return;
  const { verification, sender } = found;
  if (verdict.type === 'quorum') {
    if (verification.type === 'quorum') onQuorumChecked(context, verification, verdict.result);
    return;
  }
  if (verdict.type === 'certificate') {
    if (verification.type === 'certificate') {
      onCertificateVerified(context, verification.certificate, sender, verdict.valid);
    } else if (verification.type === 'range') {
      onRangeVerified(context, verification.range, sender, verdict.valid);
    }
    return;
  }
  const { valid } = verdict;
  switch (verification.type) {
    case 'proposal':
      return onProposalVerified(context, verification.candidate, valid[0] === true);
    case 'relayed-proposal':
      return onRelayedVerified(context, verification.candidate, sender, valid[0] === true);
    case 'rival-proposal':
      return onRivalVerified(context, verification.first, verification.second, valid);
    case 'conflict':
      return onConflictChecked(context, verification.first, verification.second, valid);
    case 'other-signature':
      return onOtherSignatureChecked(context, verification.vote, valid[0] === true);
    case 'alone':
      return onVoteChecked(context, verification.vote, valid[0] === true);
  }
}

/** More rounds mean that two rules trigger each other. */
const RULE_ROUNDS_MAX = 1000;

function applyRules(context: Context): void {
  checkQuorums(context);
  if (context.closed === undefined) applyOpenRules(context);
  else certifyExecuted(context);
  resendOnRetry(context);
  flush(context);
  emit(context, { type: 'wake', atMs: context.wakeAtMs });
}

function applyOpenRules(context: Context): void {
  for (let round = 0; ; round++) {
    if (round > RULE_ROUNDS_MAX) throw new Error('the rules of consensus do not converge');
    const entered = enterViews(context);
    const delivered = deliverFinal(context);
    activateBlocks(context);
    fitBodies(context);
    checkConfirmations(context);
    finalizeNotarized(context);
    certifyExecuted(context);
    const voted = notarizeCurrentView(context) || notarizeNextView(context);
    const proposed = proposeIfLeading(context);
    if (context.closed !== undefined) return certifyExecuted(context);
    if (!entered && !delivered && !voted && !proposed) break;
  }
  watchQuorum(context);
  nullifyOnTimeout(context);
  nullifyRefused(context);
  sendHeartbeat(context);
}

/** A full node's, too: peers fetch blocks from it by its height, and send it the end of the epoch that it is still in. */
function sendHeartbeat(context: Context): void {
  if (context.nowMs >= context.heartbeatAtMs) {
    context.heartbeatAtMs = context.nowMs + HEARTBEAT_MS;
    const finalizedHeight = context.tree.root.block.height;
    const committedHeight = context.lastState.height;
    const refusedView = context.setting.self === undefined ? 0 : context.setting.refuseUpToView;
    const heartbeat = { epoch: epochOf(context), view: context.view, finalizedHeight, committedHeight, refusedView };
    emit(context, { type: 'heartbeat', heartbeat });
  }
  wakeAt(context, context.heartbeatAtMs);
}
