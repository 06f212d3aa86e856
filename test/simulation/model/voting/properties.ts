/** Of every state: agreement, its lemmas, and that no honest member contradicts itself. */
import { type Ballot, descends } from './ballot.ts';
import { agree, certifiableOf, type VotingRules } from './rules.ts';

/** What does not hold in the ballot. */
export type Property = (ballot: Ballot, rules: VotingRules) => string | undefined;

function severalBits(bits: number): boolean {
  return (bits & (bits - 1)) !== 0;
}

/** Two finalized blocks that are not on one chain. */
export function disagreement(ballot: Ballot, rules: VotingRules): string | undefined {
  const { finalized } = certifiableOf(ballot, rules);
  const final = ballot.views.map((_, block) => block).filter((block) => finalized[block]);
  const rivals = final.some((a) => final.some((b) => a < b && !agree(ballot, a, b)));
  return rivals ? 'agreement: finalized blocks form one chain (I4)' : undefined;
}

/** Undefined: all hold. */
export function violated(ballot: Ballot, rules: VotingRules): string | undefined {
  const { views, parents, sent } = ballot;
  const { notarized, finalized, nullified } = certifiableOf(ballot, rules);
  if (sent.some(({ notarize }) => notarize.some(severalBits))) {
    return 'no honest member notarizes two blocks of a view (I1)';
  }
  for (const [block, view] of views.entries()) {
    if (block === 0 || !notarized[block]) continue;
    if (finalized[block] && nullified[view]) return 'no view is both nullified and finalized';
    if (views.some((of, other) => other < block && of === view && notarized[other])) {
      return 'at most one block is notarized in a view';
    }
    if (!notarized[parents[block] as number]) {
      return 'the parent of a notarized block is notarized, or can be by votes already sent';
    }
    if (views.some((of, below) => of < view && finalized[below] && !descends(ballot, block, below))) {
      return 'every block notarized above a finalized one descends from it';
    }
  }
  return disagreement(ballot, rules);
}
