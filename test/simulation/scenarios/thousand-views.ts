import { assert } from '@slipstream/primitives';
import type { Scenario } from '../scenario.ts';

export const thousandViews: Scenario = {
  name: 'thousand-views',
  about: 'A thousand views at 2 percent loss: most of them have a block, and every node catches up.',
  long: true,
  async play({ turns, cluster }) {
    const { start, until, progress, checks, finalHeight } = cluster({ network: { lossRate: 0.02 } });
    start();
    await until('view 1000', () => checks.counts.views >= 1000, 1_200_000);
    assert(finalHeight() > 700, `most views bring a block (height ${finalHeight()} in view ${checks.counts.views})`);
    await progress(turns(1), 20_000);
  },
};
