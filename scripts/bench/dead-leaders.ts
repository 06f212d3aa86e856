/**
 * The `dead-leaders` bench: time per block with as many leaders dead or blocked as a committee bears, against the same committee without
 * failures (rule 5b).
 *
 *   part `virtual`:   1 of 4 and 16 of 50 validators in one data centre, preset `local`, virtual time, real consensus and logs, this
 *                     machine's costs charged: without failures | dead | blocked | dead and waited for (rule 5b off)
 *   part `regions`:   16 of 50 in ten regions, preset `wan`, in the same way
 *   part `processes`: 1 of 4 real processes on this machine, each a block per 100 ms: without failures | dead | blocked
 *
 * Each side runs until its dead leaders are known to be dead, then over whole rotations. A ratio is of the worse of dead and blocked.
 *
 * There is no such experiment in the sources.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ConsensusOptions, LOCAL_OPTIONS, WAN_OPTIONS } from '@slipstream/consensus';
import { type Cluster, createCluster, eventually, freePortRange } from '@slipstream/devnet';
import type { Transport } from '@slipstream/ports';
import { type LatencyModel, uniformLatency } from '@slipstream/simulator';
import { decodeFrame, encodeFrame } from '@slipstream/types';
import { type BenchOptions, type Claim, claim, printTable } from './claim.ts';
import { type RunResult, runCommittee } from './geo/committee-run.ts';
import type { Costs } from './geo/costs.ts';
import { measure } from './geo.ts';

export const parts = ['virtual', 'regions', 'processes'];

const GOAL = 1.15;
const DATA_CENTRE = uniformLatency(0.2, 1);

interface Plan {
  readonly members: number;
  readonly down: number;
  /** Until each leader that is down is known to be. */
  readonly warmUpViews: number;
  /** Whole rotations. With warmUpViews below 192: nothing is committed here, and T8 ends what it accepts. */
  readonly views: number;
  readonly options: ConsensusOptions;
  /** Default: ten regions. */
  readonly latency?: LatencyModel;
}

const FOUR: Plan = {
  members: 4,
  down: 1,
  warmUpViews: 80,
  views: 100,
  options: LOCAL_OPTIONS,
  latency: DATA_CENTRE,
};
const FIFTY: Plan = { ...FOUR, members: 50, down: 16, warmUpViews: 50, views: 50 };
const REGIONS: Plan = { members: 50, down: 16, warmUpViews: 60, views: 50, options: WAN_OPTIONS };
const FULL = { four: FOUR, fifty: FIFTY, regions: REGIONS };
const SMOKE: typeof FULL = {
  four: { ...FOUR, views: 20 },
  fifty: { ...FIFTY, members: 7, down: 2, warmUpViews: 60, views: 7 },
  regions: { ...REGIONS, members: 7, down: 2, warmUpViews: 60, views: 7 },
};

const SIDES = ['without failures', 'dead', 'blocked', 'dead, waited for'] as const;
type Side = (typeof SIDES)[number];

/** Time per block, ms, and the blocks that show it. */
type Sides = ReadonlyMap<Side, { readonly blockMs: number; readonly blocks: number; readonly lost: number }>;

interface Measured {
  readonly name: string;
  /** In names of claims. */
  readonly key: string;
  readonly ratio: string;
  readonly sides: Sides;
}

export async function run({ smoke, part, draw }: BenchOptions): Promise<Claim[]> {
  const measured: Measured[] = [];
  const add = (name: string, key: string, ratioKey: string, sides: Sides) => {
    measured.push({ name, key, ratio: `block_time_ratio_${ratioKey}`, sides });
    printSides(name, sides);
  };
  const wants = (name: string) => part === undefined || part === name;
  const plans = smoke ? SMOKE : FULL;
  if (wants('virtual')) {
    add('4 in a data centre', '4', '1_of_4', await virtual(plans.four, smoke));
    add('50 in a data centre', '50', '16_of_50', await virtual(plans.fifty, smoke));
  }
  if (wants('regions')) {
    add('50 in ten regions', '50_regions', '16_of_50_regions', await virtual(plans.regions, smoke));
  }
  // Starting processes takes longer than a smoke of all benches may.
  if (part === 'processes' || (wants('processes') && !smoke))
    add('4 processes', '4_processes', '1_of_4_processes', await inProcesses(smoke));
  drawSides(draw, measured);
  return measured.flatMap(({ key, ratio, sides }) => [ratioOf(ratio, sides), ...milliseconds(key, sides)]);
}

function drawSides(draw: BenchOptions['draw'], measured: readonly Measured[]): void {
  draw({
    title: 'Time per block with dead and blocked leaders',
    about: `Of each committee as many leaders are down as it bears. The goal is ${GOAL} times the time without failures.`,
    unit: 'ms',
    kind: 'bars',
    x: { name: 'committee', unit: '', values: measured.map(({ name }) => name) },
    lines: [
      ...SIDES.map((side) => ({ name: side, values: measured.map(({ sides }) => sides.get(side)?.blockMs) })),
      { name: 'goal', values: measured.map(({ sides }) => GOAL * of(sides, 'without failures').blockMs) },
    ],
  });
}

async function virtual(plan: Plan, smoke: boolean): Promise<Sides> {
  const costs = await measure({ members: plan.members, warmUpViews: 4 }, smoke);
  const sides = new Map<Side, { blockMs: number; blocks: number; lost: number }>();
  for (const side of SIDES) sides.set(side, shown(await runSide(plan, side, costs)));
  return sides;
}

function runSide(plan: Plan, side: Side, costs: Costs): Promise<RunResult> {
  const { members, down, warmUpViews, views, options, latency } = plan;
  // Neighbours in the committee are in different regions.
  const which = new Set(Array.from({ length: down }, (_, at) => at * Math.floor(members / down)));
  const base = { members, seed: 'dead leaders', options, costs, warmUpViews, views, ...(latency && { latency }) };
  switch (side) {
    case 'without failures':
      return runCommittee(base);
    case 'dead':
      return runCommittee({ ...base, crashed: which });
    case 'dead, waited for':
      return runCommittee({ ...base, crashed: which, options: { ...options, skipAfterMs: NEVER_MS } });
    case 'blocked':
      return runCommittee({
        ...base,
        faulty: which,
        speech: (transport, self) => (which.has(self) ? signsWrongly(transport) : transport),
      });
  }
}

const NEVER_MS = 1e9;

/** As with a wrong key: the first check of one of its votes or proposals shows it. */
function signsWrongly(transport: Transport): Transport {
  const spoil = (signature: Uint8Array): Uint8Array => signature.map((byte) => byte ^ 0xff);
  function spoilt(frame: Uint8Array): Uint8Array {
    const decoded = decodeFrame(frame);
    if (!decoded.ok) return frame;
    const { name, value } = decoded.value;
    if (name === 'proposal') return encodeFrame(name, { ...value, signature: spoil(value.signature) });
    if (name !== 'consensus') return frame;
    const votes = value.votes.map((vote) => ({ ...vote, signature: spoil(vote.signature) }));
    return encodeFrame(name, { ...value, votes });
  }
  return {
    ...transport,
    self: transport.self,
    send: (peer, lane, frame) => transport.send(peer, lane, spoilt(frame)),
    broadcast: (lane, frame) => transport.broadcast(lane, spoilt(frame)),
  };
}

function shown({ blocks, viewsNullified }: RunResult) {
  const [first, last] = [blocks[0], blocks.at(-1)];
  if (!first || !last || blocks.length < 2) throw new Error('fewer than two blocks became final');
  return { blockMs: (last.sentMs - first.sentMs) / (blocks.length - 1), blocks: blocks.length, lost: viewsNullified };
}

const PROCESSES = 4;
const DOWN = 'validator-3';
const BLOCK_MS = 100;
const FULL_SPAN_MS = 30_000;
const SMOKE_SPAN_MS = 1_500;
/** skipAfterMs, and the views in which it passes. */
const KNOWN_DEAD_MS = LOCAL_OPTIONS.skipAfterMs + 2_000;

/** One chain, one after another: without failures, one dead, the same one started again and blocked. */
async function inProcesses(smoke: boolean): Promise<Sides> {
  const folder = await mkdtemp(join(tmpdir(), 'slipstream-dead-leaders-'));
  const basePort = await freePortRange(2 * PROCESSES);
  const flags = ['--consensus-idle-block-interval-ms', String(BLOCK_MS), '--development-faults', 'true'];
  const shape = { validators: PROCESSES, fullNodes: 0, basePort, apiPort: basePort + PROCESSES };
  const cluster = await createCluster({ folder, ...shape, flags });
  const span = () => blocksOver(cluster, smoke ? SMOKE_SPAN_MS : FULL_SPAN_MS);
  try {
    const sides = new Map<Side, { blockMs: number; blocks: number; lost: number }>();
    await cluster.start();
    await sleep(smoke ? 0 : 5_000);
    sides.set('without failures', await span());
    await cluster.kill([DOWN]);
    await sleep(smoke ? 0 : KNOWN_DEAD_MS);
    sides.set('dead', await span());
    await cluster.start([DOWN]);
    const { process } = cluster.node(DOWN);
    process.setFaults({ ...process.faults, corruptSignatures: true });
    await untilBlocked(cluster);
    await sleep(smoke ? 0 : 2_000);
    sides.set('blocked', await span());
    return sides;
  } finally {
    await cluster.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

const others = ({ nodes }: Cluster) => nodes.filter(({ name }) => name !== DOWN);

async function untilBlocked(cluster: Cluster): Promise<void> {
  for (const { name, client } of others(cluster)) {
    await eventually(`${name} blocks ${DOWN}`, 60_000, async () => {
      const { peers } = await client.status();
      return peers.blocked > 0 || undefined;
    });
  }
}

async function blocksOver(cluster: Cluster, spanMs: number) {
  const [{ client } = cluster.node('validator-0')] = others(cluster);
  const [before, startedMs] = [await client.status(), performance.now()];
  await sleep(spanMs);
  const [after, endedMs] = [await client.status(), performance.now()];
  const blocks = after.height - before.height;
  return { blockMs: (endedMs - startedMs) / Math.max(1, blocks), blocks, lost: after.view - before.view - blocks };
}

function of(sides: Sides, side: Side) {
  const found = sides.get(side);
  if (found === undefined) throw new Error(`the side "${side}" was not measured`);
  return found;
}

function ratioOf(name: string, sides: Sides): Claim {
  const worse = [of(sides, 'dead'), of(sides, 'blocked')].sort((a, b) => b.blockMs - a.blockMs)[0];
  if (worse === undefined) throw new Error('no side was measured');
  return claim(name, worse.blockMs / of(sides, 'without failures').blockMs, 'x', worse.blocks);
}

function milliseconds(of: string, sides: Sides): Claim[] {
  return [...sides].map(([side, { blockMs, blocks }]) =>
    claim(`block_time_${of}_${side.replace(', ', '_').replaceAll(' ', '_')}_ms`, blockMs, 'ms', blocks),
  );
}

function printSides(name: string, sides: Sides): void {
  printTable(
    name,
    ['leaders', 'ms per block', 'blocks', 'views lost'],
    [...sides].map(([side, { blockMs, blocks, lost }]) => [side, blockMs, blocks, lost]),
  );
}
