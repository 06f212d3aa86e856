/**
 * A run of three blocks, crashed at every event of a member, with every way to lose unsynced data.
 *
 * A seed names a point: member, way of losing bytes, whether all lose power, whether early votes are on (rule 4a), and the member's event
 * (a disk call, a ledger batch, a frame, a timer, a report of the core). The n-th event is the same in each run.
 */
import { assert } from '@slipstream/primitives';
import { CRASH_MODES, type CrashMode, type SimEvent, uniformLatency } from '@slipstream/simulator';
import type { Cluster } from '../harness/cluster.ts';
import type { Scenario, Stage } from '../scenario.ts';

/** Above any member's events in three blocks, as the run asserts; a seed beyond the last event crashes nothing. */
export const EVENTS_MAX = 400;
const MEMBERS = 4;
const VARIANTS = MEMBERS * CRASH_MODES.length * 2 * 2;
const POINTS = EVENTS_MAX * VARIANTS;
/** Coprime with POINTS: consecutive seeds spread over all points. */
const STRIDE = 1_009;

const BLOCKS = 3;
const DOWN_MS = 20;

interface Point {
  readonly event: number;
  readonly member: number;
  readonly mode: CrashMode;
  readonly all: boolean;
  readonly earlyVoteViews: number;
}

function pointOf(seed: number): Point {
  const variant = Math.floor(seed / EVENTS_MAX) % VARIANTS;
  return {
    event: seed % EVENTS_MAX,
    member: variant % MEMBERS,
    mode: CRASH_MODES[Math.floor(variant / MEMBERS) % CRASH_MODES.length] as CrashMode,
    all: Math.floor(variant / (MEMBERS * CRASH_MODES.length)) % 2 === 1,
    earlyVoteViews: variant >= VARIANTS / 2 ? 1 : 0,
  };
}

function isOf(peer: string, event: SimEvent): boolean {
  if (event.type === 'frame-sent') return event.from === peer;
  return (
    'node' in event &&
    event.node === peer &&
    (event.type === 'disk' || event.type === 'store' || event.type === 'note' || event.type === 'timer')
  );
}

/** Within the event: the node's following actions never happen. */
function crashAt({ simulation, node, members, mark }: Cluster, { event: at, member, mode, all }: Point): void {
  let count = 0;
  const victims = all ? members : [member];
  simulation.addChecker('crash', (event) => {
    if (count > at || !isOf(node(member).peer, event) || count++ < at) return;
    assert(at < EVENTS_MAX - 1, 'the run has more events than are swept: raise EVENTS_MAX');
    for (const victim of victims) node(victim).crash(mode);
    mark(`${victims} crash at event ${at} of ${member}: ${event.type}`);
    simulation.schedule(DOWN_MS, () => {
      for (const victim of victims) node(victim).start();
    });
  });
}

export const crashSweep: Scenario = {
  name: 'crash-sweep',
  about:
    'A three-block run of four crashes at every event of each member, with every loss, alone or all: every rule holds.',
  sizes: [MEMBERS],
  seedsOf({ firstSeed, seeds, long }) {
    if (long) return Array.from({ length: POINTS }, (_, seed) => seed);
    return Array.from({ length: seeds * 4 }, (_, i) => ((firstSeed * 4 + i) * STRIDE) % POINTS);
  },
  async play({ cluster, seed }: Stage) {
    const point = pointOf(seed);
    const made = cluster({
      seed: 'crash-sweep',
      network: { latency: uniformLatency(1, 5) },
      syncMs: 1,
      consensus: { minBlockIntervalMs: 0, historyQueryMs: 10, earlyVoteViews: point.earlyVoteViews },
    });
    crashAt(made, point);
    made.start();
    await made.until('the run', () => made.checks.finality.finalByHeight.size > BLOCKS + 1, 10_000);
    await made.run(2 * DOWN_MS);
    await made.progress(BLOCKS, 15_000, made.members);
  },
};
