import { CRASH_MODES, type CrashMode } from '@slipstream/simulator';
import type { Scenario } from '../scenario.ts';

/** Between cuts: a few frames to some views. */
const STEPS_MAX = 400;

export const powerCut: Scenario = {
  name: 'trap-power-cut',
  about: 'All lose their unsynced bytes at the same instant, between any two events: every block with votes is intact.',
  async play({ size, turns, random, cluster }) {
    const { start, progress, simulation, members, node, mark } = cluster({ consensus: { historyQueryMs: 20 } });
    start();
    await progress(2, 10_000);
    for (let cut = 0; cut < 15; cut++) {
      await simulation.run({ stepsMax: 1 + random.below(STEPS_MAX * size) });
      const mode: CrashMode = cut % 2 === 0 ? 'lose-all' : random.pick(CRASH_MODES);
      mark(`power cut: ${mode}`);
      for (const member of members) node(member).crash(mode);
      start();
    }
    await progress(turns(1), 30_000);
  },
};
