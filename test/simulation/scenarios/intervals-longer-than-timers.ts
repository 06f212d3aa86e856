import { assert } from '@slipstream/primitives';
import type { Scenario } from '../scenario.ts';

export const intervalsLongerThanTimers: Scenario = {
  name: 'intervals-longer-than-timers',
  about: 'The block interval is longer than leader and view timers: no honest leader loses its view for that.',
  async play({ turns, random, cluster }) {
    const minBlockIntervalMs = 300 + random.below(5_000);
    const { start, progress, checks } = cluster({
      application: { busy: random.chance(0.7) },
      consensus: { minBlockIntervalMs },
    });
    start();
    await progress(turns(2), turns(2) * (minBlockIntervalMs + 2_000));
    assert(checks.nullified.size === 0, `no view is nullified for no reason (${[...checks.nullified.keys()]})`);
  },
};
