/** Crashes around the boundary of an epoch (rule 10): swept over every event, and at random under loss. */
import { CRASH_MODES, uniformLatency } from '@slipstream/simulator';
import type { Scenario } from '../scenario.ts';
import { playPoint, type SweptRun, sweptSeeds } from './crash-points.ts';

const SEALS_EVERY = 1;
/** 8 blocks above the seal. */
const BOUNDARY = SEALS_EVERY + 8;
const MEMBERS = 4;
const NODES = MEMBERS + 1;

/** So that nodes are in the next epoch for a while before the boundary is in the ledger. */
export const COMMITTED_LATE = { commitsCertified: true, executeMsMax: 100 } as const;

/** One member leaves at each boundary and one joins, so that every index changes. */
const rotating = (epoch: number) => Array.from({ length: MEMBERS }, (_, index) => (epoch + index) % NODES);

const SWEEP: SweptRun = {
  members: MEMBERS,
  eventsMax: 700,
  nodes: NODES,
  optionsOf: (earlyVoteViews) => ({
    seed: 'boundary-crash-sweep',
    network: { latency: uniformLatency(1, 5) },
    syncMs: 1,
    consensus: { minBlockIntervalMs: 0, historyQueryMs: 10, earlyVoteViews },
    application: { sealsEvery: SEALS_EVERY, ...COMMITTED_LATE },
    observers: 1,
    committees: rotating,
  }),
  from: ({ checks }) => checks.finality.finalByHeight.size > SEALS_EVERY,
  until: ({ checks }) => checks.finality.finalByHeight.size > BOUNDARY + 4,
  downMs: 20,
};

export const BOUNDARY_EVENTS_MAX = SWEEP.eventsMax;

export const boundaryCrashSweep: Scenario = {
  name: 'boundary-crash-sweep',
  about:
    'Five nodes, four of them members, from the seal to three blocks past the boundary, crashed at every event of each, with every loss, alone or all: every rule holds.',
  onlySizes: [MEMBERS],
  seedsOf: (wanted) => sweptSeeds(SWEEP, wanted),
  play: (stage) => playPoint(stage, SWEEP, 3),
};

const FAULTS_END_AT_EPOCH = 3;

export const crashOverBoundary: Scenario = {
  name: 'crash-over-boundary',
  about:
    'Nodes lose power one after another, or all at once, every 0.1 to 1.5 s, while frames are lost and the committee changes: no validator signs twice, every node passes each boundary.',
  sizes: [4, 7],
  async play({ size, turns, random, cluster: create }) {
    const count = size + 1;
    const nodes = Array.from({ length: count }, (_, index) => index);
    const cluster = create({
      application: { sealsEvery: 2, ...COMMITTED_LATE },
      observers: 1,
      committees: (epoch) => Array.from({ length: size }, (_, index) => (epoch + index) % count),
      consensus: { historyQueryMs: 50 },
      network: { lossRate: 0.05 },
    });
    const highestEpoch = () =>
      Math.max(...nodes.map((index) => cluster.node(index).running?.consensus?.status().epoch ?? 0));
    cluster.start();
    for (let round = 0; round < 200 && highestEpoch() < FAULTS_END_AT_EPOCH; round++) {
      await cluster.run(100 + random.below(1400));
      const victims = random.below(3) === 0 ? nodes : [random.below(count)];
      cluster.mark(`power cut: ${victims}`);
      for (const victim of victims) cluster.node(victim).crash(random.pick(CRASH_MODES));
      await cluster.run(random.below(300));
      cluster.start(victims);
    }
    cluster.mark('the faults have ended');
    cluster.network.setAllLinks({ lossRate: 0 });
    await cluster.progress(turns(1), 60_000, nodes);
  },
};
