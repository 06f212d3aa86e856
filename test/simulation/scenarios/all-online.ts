import { assert } from '@slipstream/primitives';
import type { Scenario } from '../scenario.ts';

export const allOnline: Scenario = {
  name: 'all-online',
  about: 'All validators are online on a good network: a block every view, none nullified.',
  async play({ cluster }) {
    const { start, progress, checks } = cluster();
    start();
    await progress(30, 10_000);
    assert(checks.nullified.size === 0, `no view is nullified for no reason (${[...checks.nullified.keys()]})`);
  },
};
