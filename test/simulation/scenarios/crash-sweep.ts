/** A run of three blocks, crashed at every event of a member (crash-points.ts). */
import { uniformLatency } from '@slipstream/simulator';
import type { Scenario, Stage } from '../scenario.ts';
import { crashAt, type SweptRun, sweptPoint, sweptSeeds } from './crash-points.ts';

const MEMBERS = 4;
const BLOCKS = 3;
const SWEEP: SweptRun = { eventsMax: 400, nodes: MEMBERS, from: () => true, downMs: 20 };

export const EVENTS_MAX = SWEEP.eventsMax;

export const crashSweep: Scenario = {
  name: 'crash-sweep',
  about:
    'A three-block run of four crashes at every event of each member, with every loss, alone or all: every rule holds.',
  sizes: [MEMBERS],
  seedsOf: (wanted) => sweptSeeds(SWEEP, wanted),
  async play({ cluster, seed }: Stage) {
    const point = sweptPoint(SWEEP, seed);
    const made = cluster({
      seed: 'crash-sweep',
      network: { latency: uniformLatency(1, 5) },
      syncMs: 1,
      consensus: { minBlockIntervalMs: 0, historyQueryMs: 10, earlyVoteViews: point.earlyVoteViews },
    });
    crashAt(made, SWEEP, point);
    made.start();
    await made.until('the run', () => made.checks.finality.finalByHeight.size > BLOCKS + 1, 10_000);
    await made.run(2 * SWEEP.downMs);
    await made.progress(BLOCKS, 15_000, made.members);
  },
};
