import { LOCAL_OPTIONS } from '@slipstream/consensus';
import { assert } from '@slipstream/primitives';
import { decodeFrame } from '@slipstream/types';
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

export const staleCopyUnheard: Scenario = {
  name: 'trap-stale-copy-unheard',
  about: 'As trap-stale-copy, but its peers are not heard in time: it signs nothing before they are, however late.',
  async play({ size, turns, random, cluster }) {
    const restored = random.below(size);
    const { start, progress, run, until, node, network, peer, members, checks, mark } = cluster();
    const others = members.filter((member) => member !== restored);
    start();
    await progress(1 + random.below(4), 10_000);
    const image = await takeImage(node(restored));
    await progress(2 + random.below(turns(2)), 30_000);
    node(restored).crash('lose-none');
    await restoreImage(node(restored), image);
    checks.filesLost(peer(restored));
    checks.mayExit(peer(restored));
    let signs = 0;
    network.tap(({ from, frame }) => {
      if (from === peer(restored)) signs += signaturesIn(frame);
    });
    for (const other of others) network.silence(peer(other), peer(restored));
    node(restored).start();
    await run(LOCAL_OPTIONS.startupAskMs * (2 + 4 * random.unit()));
    assert(node(restored).alive, 'it waits for an answer');
    mark('its peers are heard');
    network.healAll();
    await until('it stops', () => !node(restored).alive, 10_000);
    assert(node(restored).exitReason?.includes('older copy'), `it says why (${node(restored).exitReason})`);
    assert(signs === 0, `it has signed nothing (${signs})`);
    await progress(turns(1), 60_000, others);
  },
};

/** Votes and proposals in a frame. */
function signaturesIn(frame: Uint8Array): number {
  const decoded = decodeFrame(frame);
  if (!decoded.ok) return 0;
  if (decoded.value.name === 'proposal') return 1;
  return decoded.value.name === 'consensus' ? decoded.value.value.votes.length : 0;
}

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
