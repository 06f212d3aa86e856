import { assert } from '@slipstream/primitives';
import { decodeFrame, frameNameOf } from '@slipstream/types';
import { removeFiles } from '../harness/disk-image.ts';
import { WAL_FOLDER } from '../harness/validator.ts';
import type { Scenario } from '../scenario.ts';

/** Up to 64 views ahead; twice that, for background reservations. */
const VIEWS_UNTIL_IT_SIGNS = 128;

export const staleMark: Scenario = {
  name: 'trap-stale-mark',
  about:
    'A validator loses its whole log after it signed: it refuses every view up to its mark, and votes again above it.',
  async play({ size, turns, random, cluster }) {
    const loser = random.below(size);
    const { start, progress, run, until, node, network, peer, checks, mark } = cluster();
    start();
    await progress(3 + random.below(4), 10_000);
    await run(random.below(200));
    const lostIn = checks.counts.views;
    node(loser).crash('lose-none');
    removeFiles(node(loser), (path) => path.startsWith(WAL_FOLDER));
    checks.filesLost(peer(loser));
    mark(`${loser} lost its log`);
    // The answers do not reach its mark: the mark must keep it from signing.
    let onlyAnswers = true;
    const signs: number[] = [];
    network.tap(({ from, to, frame }) => {
      if (from === peer(loser)) signs.push(...viewsVotedIn(frame));
      if (to !== peer(loser) || !onlyAnswers) return;
      if (frameNameOf(frame) === 'historyAnswer') network.heal(from, to);
      else network.dropFrames(from, to);
    });
    node(loser).start();
    await run(2500);
    onlyAnswers = false;
    network.healAll();
    await until('it votes again', () => signs.length > 0, 600_000);
    assert(
      Math.min(...signs) > lostIn,
      `it signs no view that it may have signed (${Math.min(...signs)} after ${lostIn})`,
    );
    assert(Math.min(...signs) <= lostIn + 2 * VIEWS_UNTIL_IT_SIGNS, 'and it does not wait for ever');
    await progress(turns(1), 30_000);
  },
};

function viewsVotedIn(frame: Uint8Array): readonly number[] {
  const decoded = decodeFrame(frame);
  return decoded.ok && decoded.value.name === 'consensus'
    ? decoded.value.value.votes.map(({ subject }) => subject.view)
    : [];
}
