/**
 * Rule 4a, the early vote: Notarize(v+1, C) while still in view v, where C is the child of what this validator itself voted for in v.
 *
 *   in v:  Notarize(v, B) sent --> child C of B comes --> Notarize(v+1, C)   instead of waiting for Notarization(v, B)
 *
 * SAFETY. Of the honest votes in a quorum for C, either one rests on Notarization(v, B), as rule 4 has it, or all come from
 * validators that voted for B: then they, with the faulty ones, are a quorum for B, and no other block can be notarized in v (I1).
 * So "notarized" may be read as "notarized, or notarizable by votes already sent" throughout the safety argument (docs/decisions/0024).
 *
 * LIVENESS. An early vote uses up the vote of v+1. If B comes to nothing, so may v+1: a leader that shows its block to some only
 * costs the next leader's view as well. Three rules bound that: no early vote in a view that was entered by a nullification (or the
 * split would go on from view to view for ever); none on a block of a leader that had such a view before, as far back as
 * certificates are kept; and none on a block that its leader proposed normally, for then early votes in this view may have gone to a
 * child of another block, and the split would cost a second view. In view 1 nobody can have cast one.
 */
import { bytesEqual } from '@slipstream/primitives';
import { view as asView, type View } from '@slipstream/types';
import type { Context } from '../context.ts';

/** What this validator may cast early votes on: its own vote in the current view; undefined when it may not. */
export function earlyParent(context: Context): Uint8Array | undefined {
  if (context.setting.options.earlyVoteViews < 1) return undefined;
  const { view, entry } = context;
  const own = context.own.at(view);
  if (!own.notarize || own.nullify) return undefined;
  const enteredByNotarization = entry ? entry.subject.kind !== 'nullify' : view === 1;
  const mayBeSplit = view > 1 && context.proposals.kindOf(view, own.notarize) !== 'optimistic';
  return enteredByNotarization && !mayBeSplit && !hasFailed(context, context.leaderOf(view)) ? own.notarize : undefined;
}

/** A leader one of whose views, of those remembered, was nullified, or notarized another block than the one voted for here. */
function hasFailed(context: Context, leader: number): boolean {
  const from = Math.max(1, context.lastFinal.view - context.setting.options.retentionViews);
  for (let at = context.view - 1; at >= from; at--) {
    if (context.leaderOf(asView(at)) === leader && cameToNothing(context, asView(at))) return true;
  }
  return false;
}

function cameToNothing({ certificates, own }: Context, view: View): boolean {
  if (certificates.nullified(view)) return true;
  const voted = own.at(view).notarize;
  const notarized = certificates.notarized(view)?.blockId;
  return voted !== undefined && notarized !== undefined && !bytesEqual(voted, notarized);
}
