/**
 * Rule 5a: views that too many validators refuse (H2, H7) are passed by nullifications.
 *
 *   logs whole:    refusals leave less than a quorum? --> Nullify(v) at minViewMs --.
 *   refuses v:     the others without those that nullified v are no quorum? --> Nullify(v) --> quorum: v + 1 --> ... --> above the refusals
 *
 * SAFETY: consensus.md, rule 5a, and docs/decisions/0034.
 *
 * A peer that holds a Finalize of a view blocks the signer of a Nullify of that view. So the rule begins above the views of which a
 * signing-history answer holds an own Finalize.
 */
import { isQuorum, weightOf } from '@slipstream/types';
import { type Context, castVote, epochOf, report } from '../context.ts';

export function nullifyRefused(context: Context): void {
  const { view, own, finalizedUpToView } = context;
  if (view > recoversUpTo(context) || view <= finalizedUpToView) return;
  if (own.at(view).nullify || own.at(view).finalize || othersMayFinalize(context)) return;
  castVote(context, { kind: 'nullify', epoch: epochOf(context), view });
  if (context.entry) context.outbox.certificates.push(context.entry);
  report(context, 'view.timeout', {
    view,
    leader: context.leaderOf(view),
    reason: 'nullified by the validators whose logs are whole',
    waitedMs: context.nowMs - context.pacemaker.enteredMs,
  });
}

/** Up to this view this validator joins nullifications and signs nothing else; 0: never. */
function recoversUpTo({ setting, signing }: Context): number {
  const { self, refuseUpToView, nullifyUpToView } = setting;
  return self !== undefined && signing ? Math.min(refuseUpToView, nullifyUpToView) : 0;
}

/** Whether members that did not nullify the current view, this one included, are a quorum. */
export function othersMayFinalize({ setting, votes, view }: Context): boolean {
  const { committee, self } = setting;
  const nullifiers = votes.signersOf('nullify', view).filter((member) => member !== self);
  return isQuorum(committee.totalWeight - weightOf(nullifiers, committee), committee);
}

/** False when too many report that they refuse the current view: the others are no quorum. */
export function mayBeNotarized({ setting, refusedViewOf, view }: Context): boolean {
  const { committee } = setting;
  const voters = committee.members.filter(({ index }) => (refusedViewOf[index] ?? 0) < view);
  return isQuorum(
    weightOf(
      voters.map(({ index }) => index),
      committee,
    ),
    committee,
  );
}
