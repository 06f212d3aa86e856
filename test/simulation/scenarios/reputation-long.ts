/** Leader reputation in whole nodes over many views, with leaders that die, hang and are slow (epochs.md, "Leader reputation"). */
import { assert } from '@slipstream/primitives';
import { CRASH_MODES, uniformLatency } from '@slipstream/simulator';
import { sendReadiness } from '../harness/whole/governance.ts';
import { BENCH_BLOCKS, checkReputation } from '../harness/whole/reputation.ts';
import type { Scenario, Stage } from '../scenario.ts';
import { finish, type Whole, whole } from './whole.ts';

const VIEWS = 2_500;
const LOAD_MS = 2_000;
/** Readiness is of an epoch, and counts from a height on. */
const READY_EVERY_MS = 60_000;
const CALM_MS_MAX = 120_000;
const FAULT_MS_MAX = 30_000;
const SOON_MS = 60_000;
/** Later than any timer of a view. */
const SLOW = uniformLatency(1_000, 3_000);
const WELL = uniformLatency(1, 5);
/** Of faults, so that some members are benched again and again. */
const FAVOURITE = 0.6;

type Fault = (made: Whole, stage: Stage, victim: number) => Promise<void>;

const dies: Fault = async ({ cluster: { node, run, start } }, { random }, victim) => {
  node(victim).crash(random.pick(CRASH_MODES));
  await run(random.below(FAULT_MS_MAX));
  start([victim]);
};

const hangs: Fault = async ({ cluster: { node, run } }, { random }, victim) => {
  node(victim).pause();
  await run(random.below(FAULT_MS_MAX));
  node(victim).resume();
};

const isSlow: Fault = async ({ cluster: { network, peer, members, run } }, { random }, victim) => {
  const others = members.filter((member) => member !== victim);
  for (const other of others) network.setLink(peer(victim), peer(other), { latency: SLOW });
  await run(random.below(FAULT_MS_MAX));
  for (const other of others) network.setLink(peer(victim), peer(other), { latency: WELL });
};

const FAULTS = [dies, hangs, isSlow] as const;

/** Of each benched member, again and again. */
function reportReadiness({ cluster, record, clients }: Whole): () => void {
  let isOver = false;
  function report(): void {
    if (isOver) return;
    const epoch = record.boundaries.size;
    const benched = (record.seals.get(epoch)?.committee.members ?? []).filter(({ leads }) => !leads);
    if (benched.length > 0) {
      const held = benched.map(({ index }) => ({ node: index, turn: 0 }));
      sendReadiness(cluster, clients, held, epoch);
    }
    cluster.simulation.schedule(READY_EVERY_MS, report);
  }
  report();
  return () => {
    isOver = true;
  };
}

export const reputationLong: Scenario = {
  name: 'reputation-long',
  about:
    'Thousands of views (--views) with leaders that die, hang and are slow: members are benched, come back and are benched for longer, as their lost turns in the blocks say; the chain grows.',
  sizes: [4, 7],
  long: true,
  async play(stage) {
    const { random, views = VIEWS, size } = stage;
    const made = whole(stage, { leaderReputation: true, network: { latency: WELL } });
    const { cluster, record, clients } = made;
    const { checks, run, progress, mark } = cluster;
    const favourite = random.below(size);
    cluster.start();
    await run(LOAD_MS);
    clients.stop();
    const stopReports = reportReadiness(made);
    while (checks.counts.views < views) {
      await run(random.below(CALM_MS_MAX));
      const victim = random.chance(FAVOURITE) ? favourite : random.below(size);
      const fault = random.pick(FAULTS);
      mark(`${victim}: ${fault.name}`);
      await fault(made, stage, victim);
      await progress(1, SOON_MS);
    }
    stopReports();
    await cluster.healed();
    await finish(made);
    const counts = checkReputation(cluster, record);
    mark(`reputation: ${JSON.stringify(counts)}`);
    assert(counts.benches > 0, `some member is benched (${JSON.stringify(counts)})`);
    const hasTime = views >= 2 * BENCH_BLOCKS;
    assert(!hasTime || counts.returns > 0, `some member comes back (${JSON.stringify(counts)})`);
  },
};
