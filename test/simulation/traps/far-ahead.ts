import { assert } from '@slipstream/primitives';
import type { Scenario } from '../scenario.ts';

export const farAhead: Scenario = {
  name: 'trap-far-ahead',
  about: 'A node that was cut off for more views than any buffer holds rejoins from certificates alone.',
  async play({ size, turns, random, cluster }) {
    const cutOff = random.below(size);
    const { start, progress, until, network, members, peer, checks, node } = cluster({
      consensus: { retentionViews: 16, lookaheadViews: 4 },
    });
    const others = members.filter((member) => member !== cutOff);
    const silence = random.chance(0.5);
    start();
    await progress(3, 10_000);
    const left = checks.counts.views;
    for (const other of others) {
      if (silence) network.partition([[peer(cutOff)], others.map(peer)]);
      else network.cut(peer(cutOff), peer(other));
    }
    await until('the others are far ahead', () => checks.counts.views > left + 60, 120_000);
    network.healAll();
    await progress(turns(2), 30_000);
    const view = node(cutOff).running?.consensus?.status().view ?? 0;
    assert(view + 8 > checks.counts.views, `it is in the view of the others (${view} of ${checks.counts.views})`);
  },
};
