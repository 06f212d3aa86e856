import { assert } from '@slipstream/primitives';
import { removeFiles, restoreImage, takeImage } from '../harness/disk-image.ts';
import type { Scenario } from '../scenario.ts';

export const staleCopy: Scenario = {
  name: 'trap-stale-copy',
  about:
    'A validator is restored from an older copy of its folder: its peers tell it, it refuses to sign and says why.',
  async play({ size, turns, random, cluster }) {
    const restored = random.below(size);
    const { start, progress, run, until, node, peer, members, checks } = cluster();
    const others = members.filter((member) => member !== restored);
    start();
    await progress(1 + random.below(4), 10_000);
    const image = await takeImage(node(restored));
    await progress(2 + random.below(turns(2)), 30_000);
    node(restored).crash('lose-none');
    await restoreImage(node(restored), image);
    checks.filesLost(peer(restored));
    checks.mayExit(peer(restored));
    node(restored).start();
    await until('it stops', () => !node(restored).alive, 10_000);
    assert(node(restored).exitReason?.includes('older copy'), `it says why (${node(restored).exitReason})`);
    await progress(turns(1), 60_000, others);
    await run(100);
  },
};

export const startedTwice: Scenario = {
  name: 'trap-started-twice',
  about: 'A validator is started a second time in an empty folder, with the key that is in use: it refuses to sign.',
  async play({ size, turns, random, cluster }) {
    const twice = random.below(size);
    const { start, progress, until, node, peer, members, checks } = cluster();
    start();
    await progress(2 + random.below(turns(2)), 30_000);
    node(twice).crash('lose-none');
    removeFiles(node(twice), () => true);
    checks.filesLost(peer(twice));
    checks.mayExit(peer(twice));
    node(twice).start();
    await until('it stops', () => !node(twice).alive, 10_000);
    assert(node(twice).exitReason?.includes('another instance'), `it says why (${node(twice).exitReason})`);
    await progress(
      size,
      60_000,
      members.filter((member) => member !== twice),
    );
  },
};
