import { assert } from '@slipstream/primitives';
import { startValidator } from '../harness/validator.ts';
import type { Scenario } from '../scenario.ts';

export const divergingExecutor: Scenario = {
  name: 'diverging-executor',
  about: 'One validator computes another state from some height on: it stops itself, and the others finalize blocks.',
  async play({ size, turns, random, cluster }) {
    const diverging = random.below(size);
    const divergesFrom = 3 + random.below(10);
    const { start, progress, until, node, honest } = cluster({
      byzantine: new Map([[diverging, startValidator]]),
      applicationOf: (member) => (member === diverging ? { divergesFrom } : {}),
    });
    start();
    await until('it stops', () => node(diverging).exitReason !== undefined, 30_000);
    assert(node(diverging).exitReason?.startsWith('diverged'), `it says why (${node(diverging).exitReason})`);
    await progress(turns(3), 60_000, honest);
  },
};
