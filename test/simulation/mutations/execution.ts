import { blockIntervalMs } from '../../../packages/consensus/src/rules/execution-lag.ts';
import type { Mutation } from './mutation.ts';

const within = 'packages/consensus/src';

export const EXECUTION_MUTATIONS: readonly Mutation[] = [
  {
    name: 'no-wait-for-execution',
    about: 'leaders propose at their own rate, however far execution is behind',
    changes: [
      {
        within,
        inside: blockIntervalMs,
        replace: (ahead: number, most: number, finalAhead: number, from: number) => [
          ahead >= most && finalAhead >= from,
          false,
        ],
      },
      { within, inside: blockIntervalMs, replace: (share: number) => [Math.min(1, Math.max(0, share)), 0] },
    ],
    scenarios: ['slow-executors', 'stuck-executors'],
  },
  {
    name: 'wait-for-certificates-before-finality',
    about: 'leaders wait for a state certificate of blocks that are not final',
    changes: [
      {
        within,
        inside: blockIntervalMs,
        replace: (ahead: number, most: number, finalAhead: number, from: number) => [
          ahead >= most && finalAhead >= from,
          ahead >= most,
        ],
      },
    ],
    scenarios: ['links-slower-than-timers'],
  },
];
