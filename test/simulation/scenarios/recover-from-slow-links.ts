import { constantLatency, uniformLatency } from '@slipstream/simulator';
import type { Scenario } from '../scenario.ts';

export const recoverFromSlowLinks: Scenario = {
  name: 'recover-from-slow-links',
  about: 'Links of 3 s for 60 s, then all are cut, then all are healed: the first block is final soon after.',
  async play({ turns, cluster }) {
    const { start, progress, healed, network, run, members, peer, mark } = cluster();
    network.setAllLinks({ latency: constantLatency(3000) });
    start();
    await run(60_000);
    mark('all links cut');
    network.partition(members.map((member) => [peer(member)]));
    await run(5000);
    mark('healed');
    network.setAllLinks({ latency: uniformLatency(1, 5) });
    network.healAll();
    await healed();
    await progress(turns(2), 15_000);
  },
};
