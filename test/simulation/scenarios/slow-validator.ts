import { uniformLatency } from '@slipstream/simulator';
import type { Scenario } from '../scenario.ts';

export const slowValidator: Scenario = {
  name: 'slow-validator',
  about: 'One validator is behind links of 150 to 600 ms: the others do not slow down, and it follows.',
  async play({ size, turns, random, cluster }) {
    const slow = random.below(size);
    const { start, progress, members, network, peer } = cluster();
    const fast = members.filter((member) => member !== slow);
    for (const other of fast) {
      network.setLink(peer(slow), peer(other), { latency: uniformLatency(150, 600) });
      network.setLink(peer(other), peer(slow), { latency: uniformLatency(150, 600) });
    }
    start();
    await progress(turns(6), 120_000, fast);
    await progress(turns(2), 60_000);
  },
};
