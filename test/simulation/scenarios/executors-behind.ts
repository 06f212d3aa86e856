import { assert } from '@slipstream/primitives';
import { CRASH_MODES } from '@slipstream/simulator';
import type { Cluster } from '../harness/cluster.ts';
import type { Scenario } from '../scenario.ts';

/** Ordering stops this far above the last state certificate, plus overlapping views. */
const AHEAD_BLOCKS_MAX = 64 + 8;

function ahead({ checks, honest, peer }: Cluster): number {
  const final = Math.max(...honest.map((member) => checks.finality.finalHeightOf(peer(member))));
  const certified = Math.max(...honest.map((member) => checks.finality.certifiedHeightOf(peer(member))));
  return final - certified;
}

function createDistanceWatch(cluster: Cluster): void {
  cluster.simulation.addChecker('distance', (event, { check }) => {
    if (event.type !== 'note' || event.name !== 'report') return;
    check(ahead(cluster) <= AHEAD_BLOCKS_MAX, 'ordering does not run away from execution', { ahead: ahead(cluster) });
  });
}

export const slowExecutors: Scenario = {
  name: 'slow-executors',
  about:
    'Every executor takes longer than the block interval: leaders adapt to its rate, blocks are certified continuously.',
  async play({ turns, random, cluster }) {
    const untilMs = 120_000;
    const slowMs = 300 + random.below(1500);
    const made = cluster({
      application: { commitsCertified: true, executeOneByOneMs: (nowMs) => (nowMs < untilMs ? slowMs : 5) },
    });
    createDistanceWatch(made);
    made.start();
    await made.until('a block is certified', () => ahead(made) >= 3, 20_000);
    for (let nextMs = 30_000; nextMs <= untilMs; nextMs += 30_000) {
      const before = Math.max(
        ...made.honest.map((member) => made.checks.finality.certifiedHeightOf(made.peer(member))),
      );
      await made.run(nextMs - made.simulation.nowMs);
      const after = Math.max(...made.honest.map((member) => made.checks.finality.certifiedHeightOf(made.peer(member))));
      const least = Math.floor(30_000 / slowMs / 2);
      assert(after >= before + least, `${least} blocks of ${slowMs} ms are certified in 30 s (${before} to ${after})`);
    }
    made.mark('the executors are fast again');
    await made.until('all is certified', () => ahead(made) <= 8, 20_000);
    await made.progress(turns(3), 20_000);
  },
};

export const stuckExecutors: Scenario = {
  name: 'stuck-executors',
  about:
    'No executor runs for minutes, some lose power meanwhile: ordering waits for them, and all blocks are certified after.',
  async play({ turns, random, cluster }) {
    const untilMs = 60_000 + random.below(240_000);
    const made = cluster({
      application: {
        commitsCertified: true,
        executeOneByOneMs: (nowMs) => Math.max(5, nowMs > 3000 ? untilMs - nowMs : 5),
      },
    });
    createDistanceWatch(made);
    made.start();
    await made.progress(10, 10_000);
    await made.run(random.below(untilMs - 10_000));
    made.mark('a power cut in between');
    const victims = random.chance(0.5) ? made.members : [random.pick(made.members)];
    for (const victim of victims) made.restart(victim, random.pick(CRASH_MODES));
    await made.run(untilMs - made.simulation.nowMs);
    made.mark('the executors work again');
    await made.until('all is certified', () => ahead(made) <= 8, 30_000);
    await made.progress(turns(3), 30_000);
  },
};
