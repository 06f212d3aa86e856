import { assert } from '@slipstream/primitives';
import type { Scenario } from '../scenario.ts';

export const partitionAndHeal: Scenario = {
  name: 'partition-and-heal',
  about:
    'The network splits into two halves without a quorum, several times: no block is final meanwhile, blocks are final after.',
  async play({ size, turns, random, cluster }) {
    const { start, progress, healed, network, run, members, peer, finalHeight, mark } = cluster();
    start();
    await progress(3, 10_000);
    for (let round = 0; round < 3; round++) {
      const order = [...members].sort(() => random.unit() - 0.5);
      const halves = [order.slice(0, size >> 1), order.slice(size >> 1)];
      mark(`halves: ${halves.map((half) => half.join()).join(' and ')}`);
      network.partition(halves.map((half) => half.map(peer)));
      await run(1000);
      const before = Math.max(...members.map((member) => finalHeight([member])));
      await run(random.below(15_000));
      const after = Math.max(...members.map((member) => finalHeight([member])));
      assert(after === before, 'half of the weight makes nothing final');
      mark('healed');
      network.healAll();
      await healed();
      await progress(turns(1), 20_000);
    }
  },
};
