import { constantLatency } from '@slipstream/simulator';
import type { Scenario } from '../scenario.ts';

export const slowLinksForGood: Scenario = {
  name: 'slow-links-for-good',
  about: 'Links turn far slower than the timers and stay so: the timers grow until blocks are final in time.',
  async play({ turns, random, cluster }) {
    const { start, progress, network } = cluster({ application: { busy: random.chance(0.5) } });
    start();
    await progress(turns(1), 15_000);
    network.setAllLinks({ latency: constantLatency(900 + random.below(1200)) });
    await progress(20, 150_000);
  },
};
