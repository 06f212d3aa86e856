/**
 * Points of a crash sweep: a run, crashed at every event of a node, with every way to lose unsynced data.
 *
 * A seed names a point: node, way of losing bytes, whether all lose power, whether early votes are on (rule 4a), and the node's event (a disk
 * call, a ledger batch, a frame, a timer, a report of the core). The n-th event is the same in each run.
 *
 * A whole sweep leaves out what equals another point: ways of losing bytes where all bytes are synced, and an event after which only a report
 * comes.
 */
import { assert } from '@slipstream/primitives';
import { CRASH_MODES, type CrashMode, type SimEvent } from '@slipstream/simulator';
import { type Cluster, type ClusterOptions, createCluster } from '../harness/cluster.ts';
import type { SeedRange, Stage } from '../scenario.ts';

export interface SweptRun {
  readonly members: number;
  readonly optionsOf: (earlyVoteViews: number) => Partial<ClusterOptions> & Pick<ClusterOptions, 'seed'>;
  /** Above any node's events, as the run asserts; a seed beyond the last event crashes nothing. */
  readonly eventsMax: number;
  readonly nodes: number;
  /** Events are counted once this holds. */
  readonly from: (cluster: Cluster) => boolean;
  /** The run's end; a crash makes it later. */
  readonly until: (cluster: Cluster) => boolean;
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
const RUN_MS_MAX = 20_000;
/** Prime, and no divisor of a sweep's points: consecutive seeds spread over all of them. */
const STRIDE = 1_009;

export async function sweptSeeds(run: SweptRun, { firstSeed, seeds, long }: SeedRange): Promise<readonly number[]> {
  const points = run.eventsMax * variantsOf(run);
  if (long) return distinctPoints(run);
  return Array.from({ length: seeds * 4 }, (_, i) => ((firstSeed * 4 + i) * STRIDE) % points);
}

function sweptPoint(run: SweptRun, seed: number): Point {
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

interface Met {
  readonly type: SimEvent['type'];
  readonly atMs: number;
  /** A power cut of the node, or of all, may lose bytes. */
  readonly losesOwn: boolean;
  readonly losesAny: boolean;
}

/** All points of the run, but those that leave the same files and frames as another one. */
async function distinctPoints(run: SweptRun): Promise<readonly number[]> {
  const { eventsMax, nodes } = run;
  const seeds: number[] = [];
  const variants = variantsOf(run);
  const met = [await eventsOf(run, 0), await eventsOf(run, 1)] as const;
  for (let variant = 0; variant < variants; variant++) {
    const { node, mode, all, earlyVoteViews } = sweptPoint(run, variant * eventsMax);
    const events = met[earlyVoteViews as 0 | 1][node % nodes] ?? [];
    for (const [at, event] of events.entries()) {
      const loses = all ? event.losesAny : event.losesOwn;
      if ((mode === 'lose-none' || loses) && !isSameAsNext(event, events[at + 1])) seeds.push(variant * eventsMax + at);
    }
  }
  return seeds;
}

/** Only a report lies between them. */
function isSameAsNext({ type, atMs }: Met, next: Met | undefined): boolean {
  return type !== 'disk' && type !== 'store' && next?.type === 'note' && next.atMs === atMs;
}

/** By node, in the run without a crash. */
async function eventsOf(run: SweptRun, earlyVoteViews: number): Promise<readonly (readonly Met[])[]> {
  const { members, nodes } = run;
  const cluster = createCluster({
    weights: Array.from({ length: members }, () => 1),
    ...run.optionsOf(earlyVoteViews),
  });
  const met = Array.from({ length: nodes }, (): Met[] => []);
  cluster.simulation.addChecker('points', (event, { nowMs }) => {
    const at = cluster.nodes.findIndex(({ peer }) => isOf(peer, event));
    if (at < 0 || !run.from(cluster)) return;
    const losesOwn = cluster.node(at).hasUnsynced;
    const losesAny = cluster.nodes.some(({ hasUnsynced }) => hasUnsynced);
    met[at]?.push({ type: event.type, atMs: nowMs, losesOwn, losesAny });
  });
  cluster.start();
  await cluster.until('the run', () => run.until(cluster), RUN_MS_MAX);
  return met;
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
function crashAt(
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

/** Crashed at the point, until all nodes go on. */
export async function playPoint(
  { cluster: create, seed }: Pick<Stage, 'cluster' | 'seed'>,
  run: SweptRun,
  blocksMore: number,
): Promise<void> {
  const point = sweptPoint(run, seed);
  const cluster = create(run.optionsOf(point.earlyVoteViews));
  crashAt(cluster, run, point);
  cluster.start();
  await cluster.until('the run', () => run.until(cluster), RUN_MS_MAX);
  await cluster.run(2 * run.downMs);
  const nodes = Array.from({ length: run.nodes }, (_, index) => index);
  await cluster.progress(blocksMore, 30_000, nodes);
}
