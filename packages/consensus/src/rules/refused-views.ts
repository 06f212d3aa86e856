/**
 * Rule 5a: a chain that stands because too many validators refuse its views (H2, H7) walks through them by nullifications.
 *
 *   logs whole:    refusals leave less than a quorum? --> Nullify(v) at minViewMs --.
 *   refuses v:     the others without those that nullified v are no quorum? --> Nullify(v) --> quorum: v + 1 --> ... --> above the refusals
 *
 * SAFETY. Who nullified v never finalizes it (I2), and less than a quorum is left: no Finalization of v exists or will. So a Nullify
 * adds nothing false, whatever its signer sent in v before it lost its log. This rests on those who nullified v having done so with
 * whole logs, or by this rule, whose first signer had such others before it (docs/decisions/0034).
 *
 * A peer that holds a Finalize of a view and then gets a Nullify of it blocks the signer. So the rule begins above the views of which
 * the answers to the signing-history query hold an own Finalize.
 */
import { isQuorum, weightOf } from '@slipstream/types';
import { type Context, castVote, report } from '../context.ts';

export function nullifyRefused(context: Context): void {
  const { view, own, finalizedUpToView } = context;
  if (view > recoversUpTo(context) || view <= finalizedUpToView) return;
  if (own.at(view).nullify || own.at(view).finalize || othersMayFinalize(context)) return;
  castVote(context, { kind: 'nullify', view });
  if (context.entry) context.outbox.certificates.push(context.entry);
  report(context, 'view.timeout', {
    view,
    leader: context.leaderOf(view),
    reason: 'nullified by the validators whose logs are whole',
    waitedMs: context.nowMs - context.pacemaker.enteredMs,
  });
}

/** Of the views up to this one this validator may join nullifications and sign nothing else; 0 when of none. */
function recoversUpTo({ setting, signing }: Context): number {
  const { self, refuseUpToView, nullifyUpToView } = setting;
  return self !== undefined && signing ? Math.min(refuseUpToView, nullifyUpToView) : 0;
}

/** Whether all but those that nullified the current view are a quorum, this validator counted among all. */
export function othersMayFinalize({ setting, votes, view }: Context): boolean {
  const { committee, self } = setting;
  const nullifiers = votes.signersOf('nullify', view).filter((member) => member !== self);
  return isQuorum(committee.totalWeight - weightOf(nullifiers, committee), committee);
}

/** False when those that refuse the current view, as they say, leave less than a quorum: no block of it can be notarized. */
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
