/** A run of three blocks, crashed at every event of a member (crash-points.ts). */
import { uniformLatency } from '@slipstream/simulator';
import type { Scenario } from '../scenario.ts';
import { playPoint, type SweptRun, sweptSeeds } from './crash-points.ts';

const MEMBERS = 4;
const BLOCKS = 3;
const SWEEP: SweptRun = {
  members: MEMBERS,
  eventsMax: 400,
  nodes: MEMBERS,
  optionsOf: (earlyVoteViews) => ({
    seed: 'crash-sweep',
    network: { latency: uniformLatency(1, 5) },
    syncMs: 1,
    consensus: { minBlockIntervalMs: 0, historyQueryMs: 10, earlyVoteViews },
  }),
  from: () => true,
  until: ({ checks }) => checks.finality.finalByHeight.size > BLOCKS + 1,
  downMs: 20,
};

export const EVENTS_MAX = SWEEP.eventsMax;

export const crashSweep: Scenario = {
  name: 'crash-sweep',
  about:
    'A three-block run of four crashes at every event of each member, with every loss, alone or all: every rule holds.',
  onlySizes: [MEMBERS],
  seedsOf: (wanted) => sweptSeeds(SWEEP, wanted),
  play: (stage) => playPoint(stage, SWEEP, BLOCKS),
};
