import { CRASH_MODES } from '@slipstream/simulator';
import type { Scenario } from '../scenario.ts';

export const hailstorm: Scenario = {
  name: 'hailstorm',
  about: 'Ten times, a random validator is killed at a random moment and restarts a random time later.',
  async play({ size, turns, random, cluster }) {
    const { start, progress, healed, run, node, mark, simulation } = cluster();
    start();
    await progress(2, 10_000);
    for (let round = 0; round < 10; round++) {
      const member = random.below(size);
      if (!node(member).alive) continue;
      node(member).crash(random.pick(CRASH_MODES));
      mark(`${member} is killed`);
      simulation.schedule(random.below(6000), () => node(member).start());
      await run(random.below(3000));
    }
    await run(6000);
    await healed();
    await progress(turns(2), 20_000);
  },
};
