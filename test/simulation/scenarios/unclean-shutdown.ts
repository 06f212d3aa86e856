import { CRASH_MODES } from '@slipstream/simulator';
import type { Scenario } from '../scenario.ts';

export const uncleanShutdown: Scenario = {
  name: 'unclean-shutdown',
  about: 'All lose power and unsynced bytes every 0.1 to 2 s: no validator signs twice, no final block is lost.',
  async play({ turns, random, cluster }) {
    const { start, progress, healed, run, members, node, mark } = cluster({ consensus: { historyQueryMs: 50 } });
    start();
    for (let round = 0; round < 15; round++) {
      await run(100 + random.below(1900));
      mark('power cut');
      for (const member of members) node(member).crash(random.pick(CRASH_MODES));
      start();
    }
    await healed();
    await progress(turns(2), 20_000);
  },
};
