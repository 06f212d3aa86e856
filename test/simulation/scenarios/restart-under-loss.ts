import { CRASH_MODES } from '@slipstream/simulator';
import type { Scenario } from '../scenario.ts';

export const restartUnderLoss: Scenario = {
  name: 'restart-under-loss',
  about:
    'All lose power while most frames are lost, so that they restart in different views: they reach one view again.',
  async play({ turns, random, cluster }) {
    // Most views are nullified, so many nodes restart in a view entered by a nullification.
    const consensus = { historyQueryMs: 50, leaderTimeoutMs: 200, viewTimeoutMs: 400 };
    const { start, progress, healed, run, members, node, network, mark } = cluster({ consensus });
    start();
    await progress(2, 10_000);
    for (let round = 0; round < 6; round++) {
      network.setAllLinks({ lossRate: 0.5 + random.unit() * 0.4 });
      await run(random.below(4000));
      mark('power cut');
      for (const member of members) node(member).crash(random.pick(CRASH_MODES));
      start();
      await run(random.below(2000));
      mark('no more loss');
      network.setAllLinks({ lossRate: 0 });
      await healed();
      await progress(turns(1), 15_000);
    }
  },
};
