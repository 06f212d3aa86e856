/**
 * Points of a crash sweep: a run, crashed at every event of a node, with every way to lose unsynced data.
 *
 * A seed names a point: node, way of losing bytes, whether all lose power, whether early votes are on (rule 4a), and the node's event (a disk
 * call, a ledger batch, a frame, a timer, a report of the core). The n-th event is the same in each run.
 */
import { assert } from '@slipstream/primitives';
import { CRASH_MODES, type CrashMode, type SimEvent } from '@slipstream/simulator';
import type { Cluster } from '../harness/cluster.ts';
import type { SeedRange } from '../scenario.ts';

export interface SweptRun {
  /** Above any node's events, as the run asserts; a seed beyond the last event crashes nothing. */
  readonly eventsMax: number;
  readonly nodes: number;
  /** Events are counted once this holds. */
  readonly from: (cluster: Cluster) => boolean;
  readonly downMs: number;
}

interface Point {
  readonly event: number;
  readonly node: number;
  readonly mode: CrashMode;
  readonly all: boolean;
  readonly earlyVoteViews: number;
}

const variantsOf = ({ nodes }: SweptRun): number => nodes * CRASH_MODES.length * 2 * 2;
/** Prime, and no divisor of a sweep's points: consecutive seeds spread over all of them. */
const STRIDE = 1_009;

export function sweptSeeds(run: SweptRun, { firstSeed, seeds, long }: SeedRange): readonly number[] {
  const points = run.eventsMax * variantsOf(run);
  if (long) return Array.from({ length: points }, (_, seed) => seed);
  return Array.from({ length: seeds * 4 }, (_, i) => ((firstSeed * 4 + i) * STRIDE) % points);
}

export function sweptPoint(run: SweptRun, seed: number): Point {
  const { eventsMax, nodes } = run;
  const variants = variantsOf(run);
  const variant = Math.floor(seed / eventsMax) % variants;
  return {
    event: seed % eventsMax,
    node: variant % nodes,
    mode: CRASH_MODES[Math.floor(variant / nodes) % CRASH_MODES.length] as CrashMode,
    all: Math.floor(variant / (nodes * CRASH_MODES.length)) % 2 === 1,
    earlyVoteViews: variant >= variants / 2 ? 1 : 0,
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
export function crashAt(
  cluster: Cluster,
  { eventsMax, nodes, from, downMs }: SweptRun,
  { event: at, node: victim, mode, all }: Point,
): void {
  const { simulation, node, mark } = cluster;
  let count = 0;
  const victims = all ? Array.from({ length: nodes }, (_, index) => index) : [victim];
  simulation.addChecker('crash', (event) => {
    if (count > at || !isOf(node(victim).peer, event) || !from(cluster) || count++ < at) return;
    assert(at < eventsMax - 1, 'the run has more events than are swept: raise eventsMax');
    for (const each of victims) node(each).crash(mode);
    mark(`${victims} crash at event ${at} of ${victim}: ${event.type}`);
    simulation.schedule(downMs, () => {
      for (const each of victims) node(each).start();
    });
  });
}
