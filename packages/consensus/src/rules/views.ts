/** Entering and nullifying views (rules 1, 5 and 5b). */
import { assert } from '@slipstream/primitives';
import { view as asView, type Vote } from '@slipstream/types';
import { type Context, castVote, emit, epochOf, maySign, oldestRetainedView, report, wakeAt } from '../context.ts';
import { leaderFault } from './dead-leaders.ts';
import { leaderWaitMs } from './execution-lag.ts';
import { mayBeNotarized } from './refused-views.ts';

/** Rule 1: enter the view after the highest certified one, and multicast its certificate. True when the view changed. */
export function enterViews(context: Context): boolean {
  const highest = context.certificates.highest();
  if (!highest || highest.view < context.view) return false;
  // Also when a view was notarized after this node nullified it: too short timers must grow.
  const wasNullified = highest.certificate.subject.kind === 'nullify' || context.own.at(context.view).nullify;
  if (wasNullified) context.pacemaker.nullified();
  context.view = asView(highest.view + 1);
  context.entry = highest.certificate;
  context.building = undefined;
  if (context.setting.self !== undefined) context.outbox.certificates.push(highest.certificate);
  startView(context);
  return true;
}

export function startView(context: Context): void {
  const leader = context.leaderOf(context.view);
  context.arrivals.entered(leader, context.nowMs, proposalArrivedMs(context));
  const futile = !mayBeNotarized(context);
  context.pacemaker.enter(context.nowMs, { waitMs: leaderWaitMs(context), futile });
  report(context, 'view.entered', {
    view: context.view,
    leader,
    by: context.entry?.subject.kind,
  });
}

/** Of the current view's first proposal, if one is here. */
function proposalArrivedMs({ proposals, tree, view }: Context): number | undefined {
  const arrivals = proposals
    .candidates(view)
    .map(({ blockId }) => tree.get(blockId)?.arrivedMs ?? Number.POSITIVE_INFINITY);
  return arrivals.length === 0 ? undefined : Math.min(...arrivals);
}

/** A proposal that can get a vote now: one without its confirmation leaves the leader timer running. */
function hasLiveProposal(context: Context): boolean {
  const enteredByNullification = context.entry?.subject.kind === 'nullify';
  return context.proposals
    .candidates(context.view)
    .some((candidate) => candidate.verified && (candidate.kind === 'normal' || !enteredByNullification));
}

/** Rule 5: when a timer of the current view fires. Rule 5b: at once when its leader is dead. */
export function nullifyOnTimeout(context: Context): void {
  const { view, pacemaker, nowMs } = context;
  const own = context.own.at(view);
  if (own.nullify || own.finalize || !maySign(context, view)) return;
  const reason = whyNullified(context);
  if (reason === undefined) return;
  castVote(context, { kind: 'nullify', epoch: epochOf(context), view });
  const { entry } = context;
  if (entry && !context.outbox.certificates.includes(entry)) context.outbox.certificates.push(entry);
  const leader = context.leaderOf(view);
  report(context, 'view.timeout', { view, leader, reason, waitedMs: nowMs - pacemaker.enteredMs });
}

/** Undefined: not yet, and a tick is requested. */
function whyNullified(context: Context): string | undefined {
  const { pacemaker, nowMs } = context;
  if (!hasLiveProposal(context)) {
    const fault = leaderFault(context);
    if (fault !== undefined) return fault;
    if (nowMs >= pacemaker.leaderDeadlineMs) return 'no proposal from the leader in time';
    wakeAt(context, pacemaker.leaderDeadlineMs);
  }
  if (nowMs >= pacemaker.viewDeadlineMs) return 'no notarization in time';
  wakeAt(context, pacemaker.viewDeadlineMs);
  return undefined;
}

/** Per round; later ones follow when these are certified. */
const RESENT_CERTIFIES_MAX = 16;

/** Every retryMs: Nullify with the certificate that entered the view (rule 5), and state votes above the last state certificate. */
export function resendOnRetry(context: Context): void {
  if (context.nowMs >= context.retryAtMs) {
    context.retryAtMs = context.nowMs + context.setting.options.retryMs;
    const nullify = context.own.votes(context.view).filter((vote) => vote.subject.kind === 'nullify');
    const certifies = context.own
      .certifies(context.lastState.height)
      .filter(isOverdue(context))
      .slice(0, RESENT_CERTIFIES_MAX);
    const stalled = context.own.at(context.view).nullify && context.entry;
    const certificates = stalled ? [stalled] : [];
    if (nullify.length + certifies.length + certificates.length > 0) {
      const frame = { votes: [...nullify, ...certifies], certificates, confirmations: [] };
      emit(context, { type: 'resend', to: undefined, frame });
    }
  }
  wakeAt(context, context.retryAtMs);
}

/** Votes for blocks younger than retryMs are still under way. */
function isOverdue({ tree, nowMs, setting }: Context) {
  const sinceMs = nowMs - setting.options.retryMs;
  return ({ subject }: Vote): boolean =>
    subject.kind !== 'certify' || (tree.get(subject.blockId)?.arrivedMs ?? 0) <= sinceMs;
}

/** Views with retained votes: [lastFinal - retention, view + lookahead]. */
export function isInWindow(context: Context, view: number): boolean {
  const { lookaheadViews } = context.setting.options;
  assert(context.view >= context.lastFinal.view, 'the current view is above every final one');
  return view >= oldestRetainedView(context) && view <= context.view + lookaheadViews;
}
