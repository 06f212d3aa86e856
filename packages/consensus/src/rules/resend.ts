/** Resends signed messages unchanged: to a new connection, to all at start, to a peer that asks. */
import type { PeerKey } from '@slipstream/ports';
import { view as asView, type Certificate, type Proposal, type View } from '@slipstream/types';
import { type Context, emit, viewsAhead } from '../context.ts';

/** Votes and proposals of the current view, and the certificates that lead to it, from the record: never signed again. */
export function resendAll(context: Context, to: PeerKey | undefined): void {
  if (!context.signing || context.setting.self === undefined) return;
  const upTo = context.view + viewsAhead(context);
  const votes = viewsFrom(context.view - 1, upTo).flatMap((at) => context.own.votes(at));
  const certificates = [context.lastState.certificate, context.lastFinal.certificate, context.entry].filter(
    (certificate, index, all) => certificate !== undefined && all.indexOf(certificate) === index,
  ) as Certificate[];
  const frame = { votes, certificates, confirmations: [] };
  if (votes.length + certificates.length > 0) emit(context, { type: 'resend', to, frame });
  for (const at of viewsFrom(context.view, upTo)) {
    for (const kind of ['optimistic', 'normal'] as const) {
      const proposal = context.own.proposal(at, kind);
      if (proposal) emit(context, { type: 'resend-proposal', to, proposal });
    }
  }
}

function viewsFrom(first: number, last: number): readonly View[] {
  return Array.from({ length: last - first + 1 }, (_, ahead) => asView(first + ahead));
}

/** A member's newest retained votes and proposals, and the newest certificates that count its vote. */
export function newestOf(context: Context, member: number) {
  const proposals: Proposal[] = [];
  for (let at = context.view + context.setting.options.lookaheadViews; at > 0 && at >= context.lastFinal.view; at--) {
    if (context.leaderOf(asView(at)) !== member) continue;
    for (const { kind, block, justification, signature, verified } of context.proposals.candidates(asView(at))) {
      if (block && verified) proposals.push({ kind, block, justification, signature });
    }
    if (proposals.length > 0) break;
  }
  return {
    votes: context.votes.newestOf(member),
    certificates: context.certificates.newestSignedBy(member),
    proposals: proposals.slice(0, 2),
  };
}
