/**
 * Voting rules (consensus.md, rules 1, 4, 5, 6) as guards over a ballot; each can be broken on purpose.
 *
 * The model allows more: a member may return to any view that it could have entered, as after a restart that loses certificates. A
 * finalization or state certificate counts as notarization (rule 1); every such block is notarizable, as `properties.ts` checks.
 */
import type { Step } from '../explore.ts';
import { type Ballot, descends, hasBit, type Votes, withBlock, withForgotten, withVote } from './ballot.ts';

/**
 * When a member may vote in a view that it has not entered.
 *
 *   never                   rule 4 without 4a
 *   own-vote                for a child, in the next view, of a block with its own vote
 *   own-vote-anywhere       the same in any later view
 *   proposal                for a child of any proposal of the previous view
 */
export type EarlyVote = 'never' | 'own-vote' | 'own-vote-anywhere' | 'proposal';

export interface VotingRules {
  readonly quorum: number;
  readonly honest: number;
  readonly byzantine: number;
  readonly views: number;
  readonly early: EarlyVote;
  /** I1. `unless-nullified`: an early vote may be replaced when the previous view is nullified. */
  readonly notarizeOnce: 'always' | 'unless-nullified' | 'never';
  /** I2: Finalize excludes Nullify, and vice versa. */
  readonly nullifyExcludesFinalize: boolean;
  /** Rule 4. */
  readonly nullificationsBetween: boolean;
  readonly parentNotarized: boolean;
  /** I3. */
  readonly durableBeforeSent: boolean;
}

export const RULES: VotingRules = {
  quorum: 3,
  honest: 3,
  byzantine: 1,
  views: 3,
  early: 'never',
  notarizeOnce: 'always',
  nullifyExcludesFinalize: true,
  nullificationsBetween: true,
  parentNotarized: true,
  durableBeforeSent: true,
};

/** By the votes so far and all Byzantine ones. */
export interface Certifiable {
  /** By block index. */
  readonly notarized: readonly boolean[];
  /**
   * Finalize votes are no steps: a member that did not nullify the view of a notarized block may have finalized it. They enable no other
   * vote, so they can be added at the end.
   */
  readonly finalized: readonly boolean[];
  /** By view. */
  readonly nullified: readonly boolean[];
}

export function certifiableOf({ sent, remembered, views: of }: Ballot, rules: VotingRules): Certifiable {
  const needed = rules.quorum - rules.byzantine;
  const notarized = of.map((view, block) => {
    let votes = 0;
    for (const { notarize } of sent) if (hasBit(notarize[view] as number, block)) votes++;
    return block === 0 || votes >= needed;
  });
  const nullified: boolean[] = [];
  const finalizable: boolean[] = [];
  for (let view = 0; view <= rules.views; view++) {
    let nullifies = 0;
    let free = 0;
    for (const { nullify } of sent) if (nullify[view]) nullifies++;
    for (const { nullify } of remembered) if (!nullify[view] || !rules.nullifyExcludesFinalize) free++;
    nullified.push(nullifies >= needed);
    finalizable.push(free >= needed);
  }
  const finalized = of.map((view, block) => notarized[block] === true && finalizable[view] === true);
  return { notarized, finalized, nullified };
}

export function stepsFrom(ballot: Ballot, rules: VotingRules): Step<Ballot>[] {
  const steps: Step<Ballot>[] = [];
  const facts = certifiableOf(ballot, rules);
  for (let member = 0; member < rules.honest; member++) {
    for (let view = 1; view <= rules.views; view++) {
      notarizations(ballot, rules, facts, member, view, steps);
      nullification(ballot, facts, member, view, steps);
      if (!rules.durableBeforeSent) losses(ballot, member, view, steps);
    }
  }
  return steps;
}

/** Rule 1. */
function enterable(ballot: Ballot, { notarized, nullified }: Certifiable, view: number): boolean {
  return view === 1 || nullified[view - 1] === true || ballot.views.some((of, b) => of === view - 1 && notarized[b]);
}

function notarizations(
  ballot: Ballot,
  rules: VotingRules,
  facts: Certifiable,
  member: number,
  view: number,
  steps: Step<Ballot>[],
): void {
  const own = ballot.remembered[member] as Votes;
  const voted = own.notarize[view] !== 0;
  const replaces = rules.notarizeOnce === 'unless-nullified' && facts.nullified[view - 1] === true;
  if (own.nullify[view] || (voted && rules.notarizeOnce !== 'never' && !replaces)) return;
  const entered = enterable(ballot, facts, view);
  const mayHaveParent = (parent: number): boolean =>
    (entered && votable(ballot, rules, facts, parent, view)) || votableEarly(ballot, rules, own, parent, view);
  for (let block = 1; block < ballot.views.length; block++) {
    if (ballot.views[block] !== view || hasBit(own.notarize[view] as number, block)) continue;
    if (!mayHaveParent(ballot.parents[block] as number)) continue;
    steps.push({
      what: () => `member ${member} notarizes block ${block} in view ${view}`,
      state: withVote(ballot, member, 'notarize', view, block),
    });
  }
  for (let parent = 0; parent < ballot.views.length; parent++) {
    if ((ballot.views[parent] as number) >= view || !mayHaveParent(parent)) continue;
    const block = ballot.views.length;
    steps.push({
      what: () => `member ${member} notarizes block ${block}, a new child of ${parent}, in view ${view}`,
      state: withVote(withBlock(ballot, view, parent), member, 'notarize', view, block),
    });
  }
}

/** Rule 4: notarized parent, every view between nullified. */
function votable({ views }: Ballot, rules: VotingRules, facts: Certifiable, parent: number, view: number): boolean {
  if (rules.parentNotarized && !facts.notarized[parent]) return false;
  if (!rules.nullificationsBetween) return true;
  for (let between = (views[parent] as number) + 1; between < view; between++) {
    if (!facts.nullified[between]) return false;
  }
  return true;
}

function votableEarly({ views }: Ballot, { early }: VotingRules, own: Votes, parent: number, view: number): boolean {
  const of = views[parent] as number;
  if (parent === 0) return false;
  switch (early) {
    case 'never':
      return false;
    case 'own-vote':
      return of === view - 1 && hasBit(own.notarize[of] as number, parent);
    case 'own-vote-anywhere':
      return hasBit(own.notarize[of] as number, parent);
    case 'proposal':
      return of === view - 1;
  }
}

/** Rule 5. */
function nullification(ballot: Ballot, facts: Certifiable, member: number, view: number, steps: Step<Ballot>[]): void {
  if ((ballot.remembered[member] as Votes).nullify[view] || !enterable(ballot, facts, view)) return;
  steps.push({
    what: () => `member ${member} nullifies view ${view}`,
    state: withVote(ballot, member, 'nullify', view, 0),
  });
}

/** I3 broken: a power cut deletes a sent vote. */
function losses(ballot: Ballot, member: number, view: number, steps: Step<Ballot>[]): void {
  const own = ballot.remembered[member] as Votes;
  for (const kind of ['notarize', 'nullify'] as const) {
    if (!own[kind][view]) continue;
    steps.push({
      what: () => `member ${member} restarts, and has lost its ${kind} of view ${view}`,
      state: withForgotten(ballot, member, kind, view),
    });
  }
}

export function agree(ballot: Ballot, a: number, b: number): boolean {
  return descends(ballot, a, b) || descends(ballot, b, a);
}
