import { uniformLatency } from '@slipstream/simulator';
import type { Scenario } from '../scenario.ts';

export const lossyLinks: Scenario = {
  name: 'lossy-links',
  about: 'Half of all frames are lost, the rest take 50 to 350 ms, some twice, some late: blocks become final.',
  async play({ turns, cluster }) {
    const { start, progress, healed, network, mark } = cluster({
      network: {
        latency: uniformLatency(50, 350),
        lossRate: 0.5,
        duplicateRate: 0.05,
        reorderRate: 0.1,
        reorderMs: 500,
      },
    });
    start();
    await progress(3, 600_000);
    mark('the network is well again');
    network.setAllLinks({ latency: uniformLatency(1, 5), lossRate: 0, duplicateRate: 0, reorderRate: 0 });
    await healed();
    await progress(turns(2), 30_000);
  },
};
