/**
 * Rule 4a, the early vote: Notarize(v+1, C) while still in view v, where C is a child of the block this validator voted for in v.
 *
 *   in v:  Notarize(v, B) sent --> child C of B arrives --> Notarize(v+1, C)   instead of waiting for Notarization(v, B)
 *
 * SAFETY: consensus.md, rule 4a, and docs/decisions/0024.
 *
 * LIVENESS. A leader that sends its block to a subset costs the next leader's view too, because an early vote uses up the vote of v+1. So
 * there is no early vote
 *   - in a view that was entered by a nullification: the split would continue from view to view;
 *   - on a block of a leader that had such a view before, as far back as certificates are retained;
 *   - on a normal proposal, except in view 1: early votes in this view may have gone to a child of another block.
 */
import { bytesEqual } from '@slipstream/primitives';
import { view as asView, type View } from '@slipstream/types';
import { type Context, oldestRetainedView } from '../context.ts';

/** The block whose child may get an early vote: the own vote of the current view. */
export function earlyParent(context: Context): Uint8Array | undefined {
  if (context.setting.options.earlyVoteViews < 1) return undefined;
  const { view, entry } = context;
  const own = context.own.at(view);
  if (!own.notarize || own.nullify) return undefined;
  const isFirst = view === firstView(context);
  const enteredByNotarization = entry ? entry.subject.kind !== 'nullify' : isFirst;
  const mayBeSplit = !isFirst && context.proposals.kindOf(view, own.notarize) !== 'optimistic';
  return enteredByNotarization && !mayBeSplit && !hasFailed(context, context.leaderOf(view)) ? own.notarize : undefined;
}

/** Of a core whose root is final by definition: entered without a certificate. */
function firstView({ setting: { root } }: Context): number | undefined {
  return root.certificate === undefined ? root.block.view + 1 : undefined;
}

/** A retained view of this leader was nullified, or notarized another block than the own vote's. */
function hasFailed(context: Context, leader: number): boolean {
  const from = Math.max(1, oldestRetainedView(context));
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
