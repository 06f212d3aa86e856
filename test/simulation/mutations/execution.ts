/** Of how far ordering may be ahead of execution. */
import type { Mutation } from './table.ts';

const file = 'packages/consensus/src/rules/execution-lag.ts';

export const EXECUTION_MUTATIONS: readonly Mutation[] = [
  {
    name: 'ordering-runs-away',
    about: 'leaders go on at their pace, however far execution is behind',
    changes: [
      { file, from: 'if (ahead >= NO_MORE_BLOCKS &&', to: 'if (false &&' },
      { file, from: 'Math.min(1, Math.max(0, share))', to: '0' },
    ],
    scenarios: ['slow-executors', 'stuck-executors'],
  },
  {
    name: 'executors-waited-for-in-vain',
    about: 'leaders wait for a state certificate of blocks that are not final',
    changes: [{ file, from: ' && finalAhead >= SLOWEST_FROM_BLOCKS)', to: ')' }],
    scenarios: ['links-slower-than-timers'],
  },
];
