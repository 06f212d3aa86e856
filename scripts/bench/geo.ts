/**
 * The `geo` bench: real consensus in ten regions on simulated links, compared with the network's own limit (geo/network-limit.ts).
 *
 * 50 members, 5 per region. One-way delay is half of the median round trip in packages/devnet/data, its jitter half of p90 - p50. Runs
 * have this machine's measured costs in virtual time (signing, checks, log fsyncs, events and frames, on one main and one verifier thread per
 * member), or no costs. Signatures are stand-ins.
 *
 * FINALITY: from sending a block's first proposal until a member knows it to be final; mean over members, then over blocks.
 */
import { WAN_OPTIONS } from '@slipstream/consensus';
import { type BenchOptions, type Claim, claim, printTable, quantile } from './claim.ts';
import { type RunResult, type RunSetting, runCommittee, seededUnit } from './geo/committee-run.ts';
import { type Costs, METERING_COSTS, NO_COSTS, WORK_KINDS } from './geo/costs.ts';
import { createWorkMeter, measureCosts, type WorkMeter } from './geo/measure-costs.ts';
import { type NetworkLimit, networkLimit } from './geo/network-limit.ts';
import { drawDelays, REGIONS } from './geo/regions.ts';

interface Plan {
  readonly members: number;
  readonly views: number;
  readonly fewViews: number;
  readonly warmUpViews: number;
  readonly intervalsMs: readonly number[];
  readonly sizes: readonly { readonly members: number; readonly views: number }[];
}

/** Each member leads once. */
const FULL: Plan = {
  members: 50,
  views: 50,
  fewViews: 25,
  warmUpViews: 8,
  intervalsMs: [0, 50, 100, 150],
  sizes: [
    { members: 5, views: 20 },
    { members: 10, views: 20 },
    { members: 20, views: 20 },
    { members: 100, views: 8 },
    { members: 200, views: 4 },
  ],
};

const SMOKE: Plan = {
  members: 10,
  views: 10,
  fewViews: 10,
  warmUpViews: 4,
  intervalsMs: [0],
  sizes: [{ members: 5, views: 5 }],
};

export async function run({ smoke }: BenchOptions): Promise<Claim[]> {
  const plan = smoke ? SMOKE : FULL;
  const costs = await measure(plan, smoke);
  const runs = await runAll(plan, costs);
  const limit = limitOf(plan.members, runs.charged, plan.views * 4);
  printRuns(runs, limit);
  printSizes(runs.sizes);
  return claimsOf(runs, limit);
}

export async function measure(
  { members, warmUpViews }: Pick<Plan, 'members' | 'warmUpViews'>,
  smoke: boolean,
): Promise<Costs> {
  const meter = createWorkMeter();
  const seed = 'geo costs';
  await runCommittee({ members, seed, options: WAN_OPTIONS, costs: METERING_COSTS, warmUpViews, views: 5, meter });
  const frame = meter.sampleFrame;
  if (!frame) throw new Error('no consensus frame went by while costs were measured');
  const costs = { ...(await measureCosts({ committee: members, smoke, frame })), workMs: meter.workMs };
  printCosts(costs, members, meter);
  return costs;
}

interface Runs {
  readonly charged: RunResult;
  readonly free: RunResult;
  /** Rule 4 alone. */
  readonly withoutEarly: RunResult;
  readonly paced: readonly { readonly minBlockIntervalMs: number; readonly result: RunResult }[];
  readonly oneCrashed: RunResult;
  readonly manyCrashed: RunResult;
  readonly crashedLeaders: RunResult;
  readonly sizes: readonly RunResult[];
}

async function runAll(plan: Plan, costs: Costs): Promise<Runs> {
  const { members, views, fewViews, warmUpViews } = plan;
  const base: RunSetting = { members, seed: 'geo', options: WAN_OPTIONS, costs, warmUpViews, views };
  const faultyMax = Math.floor((members - 1) / 3);
  // Neighbours in the committee are in different regions.
  const many = new Set(Array.from({ length: faultyMax }, (_, at) => at * 3));
  const paced: { minBlockIntervalMs: number; result: RunResult }[] = [];
  for (const minBlockIntervalMs of plan.intervalsMs) {
    const options = { ...WAN_OPTIONS, minBlockIntervalMs };
    paced.push({ minBlockIntervalMs, result: await runCommittee({ ...base, options, views: fewViews }) });
  }
  const sizes: RunResult[] = [];
  for (const size of plan.sizes) sizes.push(await runCommittee({ ...base, ...size }));
  return {
    paced,
    sizes,
    charged: await runCommittee(base),
    free: await runCommittee({ ...base, costs: NO_COSTS }),
    withoutEarly: await runCommittee({ ...base, options: { ...WAN_OPTIONS, earlyVoteViews: 0 }, views: fewViews }),
    oneCrashed: await runCommittee({ ...base, crashed: new Set([3]) }),
    manyCrashed: await runCommittee({ ...base, crashed: many, views: fewViews }),
    crashedLeaders: await runCommittee({ ...base, crashedLeaders: many, views: fewViews }),
  };
}

function limitOf(members: number, { leaderOf }: RunResult, rounds: number, crashed = new Set<number>()): NetworkLimit {
  const leaders = Array.from({ length: rounds }, (_, view) => leaderOf(view)).filter((leader) => !crashed.has(leader));
  const quorum = Math.floor((2 * members) / 3) + 1;
  return networkLimit({ members, quorum, crashed, leaders, draw: drawDelays(seededUnit('geo limit')) });
}

export interface Figures {
  readonly blocks: number;
  readonly intervalMs: number;
  readonly notarizedMs: number;
  readonly finalityMs: number;
  readonly finalityP95Ms: number;
  /** From the decision to propose, with its signature and log fsync. */
  readonly decidedMs: number;
}

export function figuresOf({ blocks }: RunResult): Figures {
  const first = blocks[0];
  const last = blocks[blocks.length - 1];
  if (!first || !last) throw new Error('no block became final');
  const finality = blocks.map(({ finalMs, sentMs }) => mean(finalMs) - sentMs);
  return {
    blocks: blocks.length,
    intervalMs: (last.sentMs - first.sentMs) / Math.max(1, blocks.length - 1),
    notarizedMs: mean(blocks.map(({ notarizedMs, sentMs }) => mean(notarizedMs) - sentMs)),
    finalityMs: mean(finality),
    finalityP95Ms: quantile(
      blocks.flatMap(({ finalMs, sentMs }) => finalMs.map((atMs) => atMs - sentMs)),
      0.95,
    ),
    decidedMs: mean(blocks.map(({ finalMs, proposedMs }) => mean(finalMs) - proposedMs)),
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

function claimsOf(runs: Runs, limit: NetworkLimit): Claim[] {
  const charged = figuresOf(runs.charged);
  const free = figuresOf(runs.free);
  const crashed = figuresOf(runs.oneCrashed);
  const withoutEarly = figuresOf(runs.withoutEarly);
  const { viewsNullified, viewsOfFaultyLeaders } = runs.crashedLeaders;
  const samples = charged.blocks;
  const fastest = runs.paced.find(({ minBlockIntervalMs }) => minBlockIntervalMs === 0);
  return [
    claim('block_interval_ms', charged.intervalMs, 'ms', samples),
    claim('finality_mean_ms', charged.finalityMs, 'ms', samples),
    claim('finality_over_limit', charged.finalityMs / limit.finalityMs, 'x', samples),
    claim('finality_over_limit_free', free.finalityMs / limit.finalityMs, 'x', free.blocks),
    claim('finality_over_limit_1_crashed', crashed.finalityMs / limit.finalityMs, 'x', crashed.blocks),
    claim(
      'views_lost_per_faulty_view',
      viewsNullified / Math.max(1, viewsOfFaultyLeaders),
      'views',
      viewsOfFaultyLeaders,
    ),
    claim('limit_finality_ms', limit.finalityMs, 'ms', limit.rounds),
    claim('limit_notarization_ms', limit.notarizationMs, 'ms', limit.rounds),
    claim('block_interval_free_ms', free.intervalMs, 'ms', free.blocks),
    claim('block_interval_without_early_ms', withoutEarly.intervalMs, 'ms', withoutEarly.blocks),
    claim('finality_over_limit_without_early', withoutEarly.finalityMs / limit.finalityMs, 'x', withoutEarly.blocks),
    ...(fastest
      ? [claim('block_interval_unpaced_ms', figuresOf(fastest.result).intervalMs, 'ms', fastest.result.blocks.length)]
      : []),
  ];
}

function printCosts(costs: Costs, members: number, meter: WorkMeter): void {
  const quorum = Math.floor((2 * members) / 3) + 1;
  printTable(
    'measured costs, ms (verifier thread, disk, main thread)',
    ['what', 'ms'],
    [
      ['sign once', costs.signMs],
      ['check a proposal or a vote', costs.proposalCheckMs],
      [`check a quorum of ${quorum} votes`, costs.quorumMs(quorum)],
      [`check a certificate of ${quorum} signers`, costs.certificateMs(quorum)],
      ['check an account signature', costs.accountMs],
      ['to the verifier thread and back', costs.hopMs],
      ['log sync', costs.syncMs],
      ['a frame out, or in', costs.frameOutMs],
      ...WORK_KINDS.map((kind): [string, number] => [
        `main thread, ${kind} (${meter.events[kind]} events)`,
        costs.workMs(kind),
      ]),
    ],
  );
}

function printRuns(runs: Runs, limit: NetworkLimit): void {
  const row = (name: string, result: RunResult): (string | number)[] => {
    const figures = figuresOf(result);
    return [
      name,
      round(figures.intervalMs),
      round(figures.notarizedMs),
      round(figures.finalityMs),
      round(figures.finalityP95Ms),
      (figures.finalityMs / limit.finalityMs).toFixed(3),
      round(figures.decidedMs),
      (result.syncs / result.viewsEntered / result.members).toFixed(2),
      `${result.viewsNullified} of ${result.viewsOfFaultyLeaders}`,
    ];
  };
  const members = runs.charged.members;
  printTable(
    `${members} members in ${REGIONS.length} regions; minBlockIntervalMs ${WAN_OPTIONS.minBlockIntervalMs} unless stated; ms`,
    [
      'run',
      'interval',
      'notarized',
      'final',
      'p95',
      'over limit',
      'from decision',
      'fsyncs per view',
      'views lost of faulty',
    ],
    [
      ["the network's limit", '', round(limit.notarizationMs), round(limit.finalityMs), '', '1', '', '', ''],
      row('without any cost', runs.free),
      row('costs charged', runs.charged),
      row('without early votes', runs.withoutEarly),
      ...runs.paced.map(({ minBlockIntervalMs, result }) => row(`minBlockIntervalMs ${minBlockIntervalMs}`, result)),
      row('1 crashed', runs.oneCrashed),
      row('f crashed', runs.manyCrashed),
      row('f leaders crashed', runs.crashedLeaders),
    ],
  );
}

function printSizes(sizes: readonly RunResult[]): void {
  printTable(
    'a view, each member (costs charged as measured for the committee above)',
    ['members', 'frames sent', 'kB sent', 'main thread ms', 'verifier ms', 'interval ms', 'final ms'],
    [...sizes]
      .sort((a, b) => a.members - b.members)
      .map((result) => {
        const each = (total: number) => round(total / result.viewsEntered);
        const figures = figuresOf(result);
        return [
          String(result.members),
          each(result.frames / result.members),
          each(result.bytes / result.members / 1000),
          each(result.mainMs),
          each(result.checkingMs),
          round(figures.intervalMs),
          round(figures.finalityMs),
        ];
      }),
  );
}

function round(value: number): string {
  return value.toFixed(1);
}
