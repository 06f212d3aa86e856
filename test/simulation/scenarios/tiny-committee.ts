import { CRASH_MODES } from '@slipstream/simulator';
import type { Scenario } from '../scenario.ts';

export const tinyCommittee: Scenario = {
  name: 'tiny-committee',
  about: 'One, two and three validators: all are needed, each may restart.',
  onlySizes: [1, 2, 3],
  async play({ size, random, cluster }) {
    const { start, progress, restart } = cluster();
    start();
    await progress(10, 10_000);
    for (let member = 0; member < size; member++) {
      restart(member, random.pick(CRASH_MODES));
      await progress(5, 20_000);
    }
  },
};
