import { assert } from '@slipstream/primitives';
import { CRASH_MODES, type SeededRandom } from '@slipstream/simulator';
import { openSignState } from '@slipstream/wal';
import type { Cluster } from '../harness/cluster.ts';
import { removeFiles } from '../harness/disk-image.ts';
import { SIGN_STATE_FILE, WAL_FOLDER } from '../harness/validator.ts';
import type { Scenario } from '../scenario.ts';

/** As in `keys recover-history --chain-stands-still`. */
const VIEWS_AHEAD = 64;
/** Each refused view takes minViewMs and a few delays. */
const WALK_WITHIN_MS = 60_000;

export const lostLogs: Scenario = {
  name: 'trap-lost-logs',
  about:
    'A third or more lose their logs, and the chain stops; recovered in turn, they pass the refused views, and none is blocked.',
  sizes: [4, 7],
  async play({ size, turns, random, faultyMax, cluster }) {
    const made = cluster();
    const { start, progress, run, members, node, mark, finalHeight } = made;
    const losers = someOf(random, members, faultyMax + 1);
    start();
    await progress(3 + random.below(4), 10_000);
    await run(random.below(200));
    const allKilled = random.below(2) === 0;
    const whole = members.filter((member) => !losers.includes(member));
    if (allKilled) for (const member of whole) node(member).crash(random.pick(CRASH_MODES));
    const lostSignStates = random.below(2) === 0;
    for (const loser of losers) lose(made, loser, lostSignStates);
    mark(`${losers} lost their logs${lostSignStates ? ' and sign states' : ''}`);
    // Without its sign state a validator starts only after recovery.
    start([...(allKilled ? whole : []), ...(lostSignStates ? [] : losers)]);
    await run(3_000);
    const before = finalHeight(whole);
    await run(5_000);
    assert(finalHeight(whole) === before, 'the chain stands still while so many refuse');
    const apart = random.pick(whole);
    const isNeeded = 3 * (whole.length - 1) < size;
    if (isNeeded) cutOff(made, apart);
    for (const loser of losers) {
      if (node(loser).alive) node(loser).crash('lose-none');
      const view = Math.max(...whole.map((member) => node(member).running?.consensus?.status().view ?? 0));
      await recover(made, loser, view + VIEWS_AHEAD);
      mark(`${loser} is recovered up to view ${view + VIEWS_AHEAD}`);
      start([loser]);
      await run(random.below(2_000));
    }
    if (isNeeded) await standsWithout(made, whole, apart);
    await progress(turns(1), WALK_WITHIN_MS);
    assert(size === members.length && members.every((member) => node(member).alive), 'everybody goes on');
  },
};

function cutOff({ network, members, peer }: Cluster, apart: number): void {
  for (const other of members) {
    network.dropFrames(peer(apart), peer(other));
    network.dropFrames(peer(other), peer(apart));
  }
}

/** Less than a third has its logs, and it may have finalized any view above its current one: none may be nullified. */
async function standsWithout(
  { network, checks, run, node }: Cluster,
  whole: readonly number[],
  apart: number,
): Promise<void> {
  const views = whole.map((member) => node(member).running?.consensus?.status().view ?? 0);
  const standing = Math.max(...views);
  await run(8_000);
  const walked = [...checks.nullified.keys()].filter((view) => view >= standing);
  assert(walked.length === 0, `no view is nullified while ${apart} is cut off (${walked})`);
  network.healAll();
}

function someOf(random: SeededRandom, members: readonly number[], count: number): readonly number[] {
  const left = [...members];
  return Array.from({ length: count }, () => left.splice(random.below(left.length), 1)[0] as number);
}

function lose({ node, peer, checks }: Cluster, loser: number, alsoSignState: boolean): void {
  if (node(loser).alive) node(loser).crash('lose-none');
  removeFiles(
    node(loser),
    (path) => path.startsWith(WAL_FOLDER) || (alsoSignState && path.startsWith(SIGN_STATE_FILE)),
  );
  checks.filesLost(peer(loser));
}

/** The command's effect on a stopped validator's folder. */
async function recover({ node, chain, checks, peer, until }: Cluster, loser: number, mark: number): Promise<void> {
  const disk = node(loser).disk.mount();
  let isDone = false;
  const work = async () => {
    const state = await openSignState({ disk }, { path: SIGN_STATE_FILE, genesisHash: chain.genesisHash });
    await state.recover({ mark, chunkMark: 1_000_000, nullifies: true });
    isDone = true;
  };
  void work();
  await until('recovered', () => isDone, 1_000);
  checks.recovered(peer(loser));
}
