/** Leader reputation (epochs.md). */
import { afterLostTurn, awaitsReadiness } from '../../../packages/execution/src/epochs/reputation.ts';
import type { Mutation } from './mutation.ts';

const execution = 'packages/execution/src/epochs';
const scenarios = ['bench-and-return'] as const;

export const REPUTATION_MUTATIONS: readonly Mutation[] = [
  {
    name: 'benched-leads',
    about: 'the schedule gives views to members that lead none',
    changes: [
      {
        within: 'packages/types/src',
        inside: 'leadingWeight',
        replace: (member: { readonly leads: boolean } | undefined) => [member?.leads === true, member !== undefined],
      },
    ],
    scenarios,
  },
  {
    name: 'comeback-too-early',
    about: 'readiness brings a benched member back at the next seal',
    changes: [
      {
        within: execution,
        inside: awaitsReadiness,
        replace: (height: number, untilHeight: number) => [height >= untilHeight, true],
      },
    ],
    scenarios,
  },
  {
    name: 'lost-turns-forgotten',
    about: 'a lost turn does not add to those before it',
    changes: [
      {
        within: execution,
        inside: afterLostTurn,
        replace: (reputation: { readonly lostTurns: number }) => [reputation.lostTurns + 1, 1],
      },
    ],
    scenarios,
  },
  {
    name: 'lost-turns-not-counted',
    about: 'the views between a block and its parent are not counted',
    changes: [
      {
        within: execution,
        inside: 'leadersBetween',
        replace: (lost: number, end: number) => [lost < end, false],
      },
    ],
    scenarios,
  },
];
