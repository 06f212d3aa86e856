import { LOCAL_OPTIONS } from '@slipstream/consensus';
import { assert } from '@slipstream/primitives';
import { decodeFrame } from '@slipstream/types';
import { removeFiles, restoreImage, takeImage } from '../harness/disk-image.ts';
import type { Scenario, Stage } from '../scenario.ts';

/** A member that continued after a copy of its folder. */
async function pastOf({ size, turns, random, cluster }: Stage) {
  const restored = random.below(size);
  const network = cluster();
  const { start, progress, until, node, peer, members, checks } = network;
  const others = members.filter((member) => member !== restored);
  start();
  await progress(1 + random.below(4), 10_000);
  const image = await takeImage(node(restored));
  const imageView = checks.counts.views;
  return {
    network,
    restored,
    others,
    imageView,
    runOn: () => progress(2 + random.below(turns(2)), 30_000),
    /** To the older copy, without a start. */
    async goBack() {
      if (node(restored).alive) node(restored).crash('lose-none');
      await restoreImage(node(restored), image);
      checks.filesLost(peer(restored));
      checks.mayExit(peer(restored));
    },
    async refuses() {
      await until('it stops', () => !node(restored).alive, 10_000);
      assert(node(restored).exitReason?.includes('older copy'), `it says why (${node(restored).exitReason})`);
    },
  };
}

export const staleCopy: Scenario = {
  name: 'trap-stale-copy',
  about:
    'A validator is restored from an older copy of its folder: its peers report later votes, it refuses to sign with the reason.',
  async play(stage) {
    const { network, restored, others, runOn, goBack, refuses } = await pastOf(stage);
    await runOn();
    await goBack();
    network.node(restored).start();
    await refuses();
    await network.progress(stage.turns(1), 60_000, others);
    await network.run(100);
  },
};

export const staleCopyUnheard: Scenario = {
  name: 'trap-stale-copy-unheard',
  about: 'As trap-stale-copy, but responses of its peers are delayed: it signs nothing before they arrive.',
  async play(stage) {
    const { network: all, restored, others, runOn, goBack, refuses } = await pastOf(stage);
    const { run, node, network, peer, mark } = all;
    await runOn();
    await goBack();
    let signs = 0;
    network.tap(({ from, frame }) => {
      if (from === peer(restored)) signs += signaturesIn(frame);
    });
    for (const other of others) network.dropFrames(peer(other), peer(restored));
    node(restored).start();
    await run(LOCAL_OPTIONS.historyQueryMs * (2 + 4 * stage.random.unit()));
    assert(node(restored).alive, 'it waits for an answer');
    mark('its peers are reachable');
    network.healAll();
    await refuses();
    assert(signs === 0, `it has signed nothing (${signs})`);
    await all.progress(stage.turns(1), 60_000, others);
  },
};

export const staleCopyAllRestart: Scenario = {
  name: 'trap-stale-copy-all-restart',
  about:
    'All members lose power, and one restarts with an older copy of its folder: its votes remain only in certificates.',
  async play(stage) {
    const { network: all, restored, others, imageView, runOn, goBack, refuses } = await pastOf(stage);
    const { until, node, network, peer, members, mark } = all;
    let counted = false;
    network.tap(({ from, frame }) => {
      if (from !== peer(restored)) counted ||= countsVoteSince(frame, restored, imageView);
    });
    await runOn();
    await until('a certificate counts a vote of it', () => counted, 60_000);
    for (const member of members) node(member).crash('lose-none');
    await goBack();
    mark('all start again');
    for (const member of members) node(member).start();
    await refuses();
    await all.progress(stage.turns(1), 60_000, others);
  },
};

function countsVoteSince(frame: Uint8Array, member: number, view: number): boolean {
  const decoded = decodeFrame(frame);
  if (!decoded.ok || decoded.value.name !== 'consensus') return false;
  return decoded.value.value.certificates.some(
    ({ subject, signers }) => subject.view > view && signers.includes(member),
  );
}

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
