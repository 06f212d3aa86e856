/** Leader reputation in whole nodes (epochs.md, "Leader reputation"). */
import { assert } from '@slipstream/primitives';
import { sendReadiness } from '../harness/whole/governance.ts';
import type { Scenario } from '../scenario.ts';
import { finish, type Whole, whole } from './whole.ts';

/** An epoch is sealed at its 64th block or later. */
const EPOCH_BLOCKS = 64;
const EPOCH_MS_MAX = 60_000;
const BENCH_BLOCKS = 1024;
const BOUNDARY_MS_MAX = 15_000;
/** An idle chain makes a block a second. */
const BENCH_MS_MAX = 1_500_000;
/** From the first block that may seal to the boundary. */
const LOST_MAX = 3;

function leadsIn({ record }: Whole, epoch: number, member: number): boolean {
  const found = record.seals.get(epoch)?.record.members[member];
  assert(found !== undefined, 'the record has the member');
  return found.leads;
}

export const benchAndReturn: Scenario = {
  name: 'bench-and-return',
  about:
    'A dead leader leads no view from the second epoch on, and comes back by readiness after 1,024 blocks, not earlier: no other view is lost.',
  sizes: [4, 7],
  long: true,
  async play(stage) {
    const made = whole(stage, { leaderReputation: true });
    const { cluster, record, clients } = made;
    const { members, until, checks, node, peer, progress } = cluster;
    const dead = stage.random.below(stage.size);
    const alive = members.filter((member) => member !== dead);
    const height = () => Math.min(...alive.map((member) => record.heightOf(peer(member))));
    const lostViews = () => [...checks.nullified].filter(([, leader]) => leader === dead).length;
    const reached = (least: number, withinMs: number) => until(`height ${least}`, () => height() >= least, withinMs);

    cluster.start(alive);
    await reached(EPOCH_BLOCKS, EPOCH_MS_MAX);
    const before = lostViews();
    await until('the second epoch begins', () => record.boundaries.has(0), BOUNDARY_MS_MAX);
    await progress(2, EPOCH_MS_MAX, alive);
    const benched = members.filter((member) => !leadsIn(made, 1, member));
    assert(benched.length === 1 && benched[0] === dead, `the dead member is benched (benched: ${benched})`);
    const lost = lostViews() - before;
    assert(lost <= LOST_MAX, `${LOST_MAX} views are lost at most once an epoch may end (${lost})`);

    const atReturn = lostViews();
    cluster.start([dead]);
    await until('it votes again', () => node(dead).running?.consensus?.signing()?.state === 'signing', EPOCH_MS_MAX);
    sendReadiness(cluster, clients, [{ node: dead, turn: 0 }], 1);
    await reached(height() + 2 * EPOCH_BLOCKS, EPOCH_MS_MAX);
    assert(!record.seals.has(2), 'readiness before its time changes nothing');
    clients.stop();
    const sealedAt = record.seals.get(1)?.height ?? 0;
    await reached(sealedAt + BENCH_BLOCKS, BENCH_MS_MAX);
    assert(lostViews() === atReturn, `a member that leads nothing loses no view (${lostViews() - atReturn})`);
    sendReadiness(cluster, clients, [{ node: dead, turn: 0 }], 1);
    await until('the third epoch begins', () => record.boundaries.has(1), EPOCH_MS_MAX);
    assert(leadsIn(made, 2, dead), 'it leads again');
    const proposes = () => [...record.blocks.values()].some(({ epoch, proposer }) => epoch === 2 && proposer === dead);
    await until('it proposes', proposes, EPOCH_MS_MAX);
    await finish(made);
  },
};
