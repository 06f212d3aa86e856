/** Safe variants, and broken ones, in each of which the model checker must find a disagreement. */
import { RULES, type VotingRules } from './rules.ts';

export interface Variant {
  readonly name: string;
  readonly about: string;
  readonly rules: VotingRules;
}

export const SAFE: readonly Variant[] = [
  { name: 'rules', about: 'a vote in a view that was entered only (rule 4)', rules: RULES },
  {
    name: 'early-vote',
    about: "a vote for the child of one's own vote before its view is entered (rule 4a)",
    rules: { ...RULES, early: 'own-vote' },
  },
];

export const BROKEN: readonly Variant[] = [
  {
    name: 'early-vote-for-any-proposal',
    about: 'an early vote for a child of a block that one has not voted for',
    rules: { ...RULES, early: 'proposal' },
  },
  {
    name: 'early-vote-for-any-descendant',
    about: "an early vote for a child of one's own vote in any earlier view, without the nullifications between",
    rules: { ...RULES, early: 'own-vote-anywhere' },
  },
  {
    name: 'early-vote-taken-back',
    about: 'another vote in the next view when this one turns out nullified',
    rules: { ...RULES, early: 'own-vote', notarizeOnce: 'unless-nullified' },
  },
  { name: 'notarize-twice', about: 'I1 left out', rules: { ...RULES, notarizeOnce: 'never' } },
  { name: 'nullify-and-finalize', about: 'I2 left out', rules: { ...RULES, nullifyExcludesFinalize: false } },
  { name: 'send-before-sync', about: 'I3 left out', rules: { ...RULES, durableBeforeSent: false } },
  {
    name: 'early-vote-before-sync',
    about: 'I3 left out, with the early vote: the own vote that it rests on may be lost',
    rules: { ...RULES, early: 'own-vote', durableBeforeSent: false },
  },
  { name: 'quorum-of-half', about: 'a quorum is one too small', rules: { ...RULES, quorum: 2 } },
  {
    name: 'no-nullification-check',
    about: 'rule 4 without its nullifications',
    rules: { ...RULES, nullificationsBetween: false },
  },
  {
    name: 'parent-unchecked',
    about: "rule 4 without the parent's notarization",
    rules: { ...RULES, parentNotarized: false },
  },
];
