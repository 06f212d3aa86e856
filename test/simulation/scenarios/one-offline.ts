import { assert } from '@slipstream/primitives';
import type { Scenario } from '../scenario.ts';

export const oneOffline: Scenario = {
  name: 'one-offline',
  about: 'One validator never starts: only the views it leads are lost.',
  async play({ size, turns, random, cluster }) {
    const offline = random.below(size);
    const { start, progress, members, checks } = cluster();
    const online = members.filter((member) => member !== offline);
    start(online);
    await progress(turns(8), 120_000, online);
    const others = [...checks.nullified].filter(([, leader]) => leader !== offline);
    assert(others.length === 0, `views of leaders that are there are not nullified (${others.map(([view]) => view)})`);
  },
};
