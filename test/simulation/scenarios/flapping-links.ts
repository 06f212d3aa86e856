import type { Scenario } from '../scenario.ts';

export const flappingLinks: Scenario = {
  name: 'flapping-links',
  about: 'Connections break and reconnect all the time: blocks become final meanwhile, and quickly after.',
  async play({ size, turns, random, cluster }) {
    const { start, progress, healed, network, peer, run } = cluster();
    start();
    for (let round = 0; round < 60; round++) {
      const a = random.below(size);
      const b = (a + 1 + random.below(size - 1)) % size;
      network.cut(peer(a), peer(b));
      await run(random.below(400));
      if (random.chance(0.7)) network.heal(peer(a), peer(b));
      if (round % 6 === 5) network.healAll();
    }
    network.healAll();
    await healed();
    await progress(turns(2), 20_000);
  },
};
