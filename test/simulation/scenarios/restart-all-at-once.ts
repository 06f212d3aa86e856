import { assert } from '@slipstream/primitives';
import { CRASH_MODES } from '@slipstream/simulator';
import type { Scenario } from '../scenario.ts';

export const restartAllAtOnce: Scenario = {
  name: 'restart-all-at-once',
  about:
    'All lose power at one instant and start together: no final block is lost, all sign again, blocks become final.',
  async play({ turns, random, cluster }) {
    const { start, progress, run, members, node, finalHeight, mark } = cluster();
    start();
    for (let round = 0; round < 4; round++) {
      await progress(1 + random.below(6), 10_000);
      await run(random.below(150));
      const before = finalHeight();
      mark('power cut');
      for (const member of members) node(member).crash(random.pick(CRASH_MODES));
      start();
      await progress(turns(1), 15_000);
      assert(finalHeight() > before, 'final stays final');
    }
  },
};
