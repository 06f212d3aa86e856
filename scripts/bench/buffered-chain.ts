/**
 * The `buffered-chain` bench: a chain whose nodes check votes in bulk at quorum (buffered), against one that checks each vote alone (eager).
 *
 *   regions     50 members in ten regions, virtual time, costs charged as in `geo`: block time, finality, processor time of a node
 *   processes   four validators in real processes on this machine, about ten empty blocks per second, turn by turn: the same
 *
 * The source (Commonware, "buffered signatures") changed Alto from eager to buffered: block time 255 -> 200 ms, finality 375 -> 300 ms,
 * processor 26 -> 9 percent of four cores. Eager is every vote on arrival, as there. In `until quorum` a vote whose certificate is known is
 * not checked: what a careful eager node would do.
 *
 * What differs: Alto runs on machines of its own with real links. Here a view has three votes of each member (Notarize, Finalize, Certify),
 * not two; one verifier thread, as the node has on Alto's machine of four cores; Node, not Rust, handles frames. Eager is an option that
 * development chains alone accept (development.voteChecks).
 */
import { type VoteChecks, WAN_OPTIONS } from '@slipstream/consensus';
import { watchCluster } from '@slipstream/devnet';
import { readLatencies } from '../devnet/summary.ts';
import { print } from '../print.ts';
import { type BenchOptions, type Claim, claim, printTable } from './claim.ts';
import { type RunResult, runCommittee } from './geo/committee-run.ts';
import type { Costs } from './geo/costs.ts';
import { figuresOf, measure } from './geo.ts';
import { type MeasuredChain, measureChain, type Spans } from './idle.ts';

export const parts = ['regions', 'processes'] as const;

interface Plan {
  readonly members: number;
  readonly warmUpViews: number;
  readonly views: number;
  readonly turns: number;
  readonly spans: Spans;
}

const FULL: Plan = {
  members: 50,
  warmUpViews: 8,
  views: 50,
  turns: 2,
  spans: { settleMs: 8_000, spanMs: 30_000, sampleMs: 2_000 },
};
const SMOKE: Plan = {
  members: 10,
  warmUpViews: 2,
  views: 4,
  turns: 1,
  // Starting a node costs seconds.
  spans: { settleMs: 500, spanMs: 1_500, sampleMs: 500, validators: 2 },
};

/** One verification of the source's library on a machine of this kind. */
const SOURCE_CHECK_MS = 1.1;
const BLOCK_INTERVAL_MS = 100;
/** For statistics of every node to arrive. */
const STATS_WAIT_MS = 2_500;

/** Alto's. Cores: 9 and 26 percent of four. */
const SOURCE: readonly { readonly name: string; readonly figures: Omit<Figures, 'samples'> }[] = [
  { name: 'source, buffered', figures: { blockMs: 200, finalityMs: 300, cores: 0.36 } },
  { name: 'source, eager', figures: { blockMs: 255, finalityMs: 375, cores: 1.04 } },
];

interface Figures {
  readonly blockMs: number;
  readonly finalityMs: number;
  /** Of one node. */
  readonly cores: number;
  readonly samples: number;
}

export async function run({ smoke, part, draw }: BenchOptions): Promise<Claim[]> {
  const plan = smoke ? SMOKE : FULL;
  const claims: Claim[] = [];
  if (part !== 'processes') claims.push(...(await inRegions(plan, smoke, draw)));
  if (part !== 'regions') claims.push(...(await inProcesses(plan, draw)));
  return claims;
}

const WAYS: readonly VoteChecks[] = ['at-quorum', 'until-quorum', 'on-arrival'];
const NAMES: Readonly<Record<VoteChecks, string>> = {
  'at-quorum': 'buffered',
  'until-quorum': 'eager until quorum',
  'on-arrival': 'eager',
};

type ByWay = ReadonlyMap<VoteChecks, Figures>;

async function inRegions(plan: Plan, smoke: boolean, draw: BenchOptions['draw']): Promise<readonly Claim[]> {
  const { members, warmUpViews, views } = plan;
  const costs: Costs = await measure({ members, warmUpViews }, smoke);
  const found = new Map<VoteChecks, Figures>();
  const late = new Map<VoteChecks, Figures>();
  const slow = new Map<VoteChecks, Figures>();
  const runs = { members, seed: 'buffered', costs, warmUpViews, views };
  for (const voteChecks of WAYS) {
    found.set(voteChecks, regionFigures(await runCommittee({ ...runs, options: WAN_OPTIONS, voteChecks })));
    const options = { ...WAN_OPTIONS, earlyVoteViews: 0 };
    late.set(voteChecks, regionFigures(await runCommittee({ ...runs, options, voteChecks })));
    const slower = { ...runs, options: WAN_OPTIONS, voteChecks, costs: withChecksOf(costs, SOURCE_CHECK_MS) };
    slow.set(voteChecks, regionFigures(await runCommittee(slower)));
  }
  printWays(`${members} members in ten regions, costs charged, one verifier thread each`, found);
  printWays('the same without early votes: a vote waits for the notarization before it, as in the source', late);
  printWays(`the same with checks of ${SOURCE_CHECK_MS} ms, as the source's library takes`, slow);
  drawWays(draw, `${members} validators in ten regions, virtual time`, found);
  const of = ratiosOf(found, 'on-arrival');
  const careful = ratiosOf(found, 'until-quorum');
  const withoutEarly = ratiosOf(late, 'on-arrival');
  const slower = ratiosOf(slow, 'on-arrival');
  const { blockMs, finalityMs, cores } = figuresIn(found, 'at-quorum');
  return [
    claim('block_ratio_n50', of.block, 'ratio', of.samples),
    claim('finality_ratio_n50', of.finality, 'ratio', of.samples),
    claim('cpu_ratio_n50', of.cpu, 'ratio', of.samples),
    claim('cpu_ratio_per_block_n50', of.cpu * of.block, 'ratio', of.samples),
    claim('block_ratio_until_quorum_n50', careful.block, 'ratio', careful.samples),
    claim('finality_ratio_until_quorum_n50', careful.finality, 'ratio', careful.samples),
    claim('cpu_ratio_until_quorum_n50', careful.cpu, 'ratio', careful.samples),
    claim('block_ratio_without_early_n50', withoutEarly.block, 'ratio', withoutEarly.samples),
    claim('finality_ratio_without_early_n50', withoutEarly.finality, 'ratio', withoutEarly.samples),
    claim('block_ratio_slower_checks_n50', slower.block, 'ratio', slower.samples),
    claim('finality_ratio_slower_checks_n50', slower.finality, 'ratio', slower.samples),
    claim('block_ms_n50', blockMs, 'ms', of.samples),
    claim('finality_ms_n50', finalityMs, 'ms', of.samples),
    claim('cores_n50', cores, 'cores', of.samples),
  ];
}

/** All costs of the verifier's curve, so that one vote takes this long. */
function withChecksOf(costs: Costs, checkMs: number): Costs {
  const scale = checkMs / costs.proposalCheckMs;
  return {
    ...costs,
    signMs: costs.signMs * scale,
    proposalCheckMs: checkMs,
    quorumMs: (votes) => costs.quorumMs(votes) * scale,
    sumMs: (votes) => costs.sumMs(votes) * scale,
    certificateMs: (signers) => costs.certificateMs(signers) * scale,
  };
}

function regionFigures(result: RunResult): Figures {
  const { intervalMs, finalityMs, blocks } = figuresOf(result);
  const cores = (result.mainMs + result.checkingMs) / result.virtualMs;
  return { blockMs: intervalMs, finalityMs, cores, samples: blocks };
}

async function inProcesses(plan: Plan, draw: BenchOptions['draw']): Promise<readonly Claim[]> {
  const taken = new Map<VoteChecks, Figures[]>();
  for (let turn = 0; turn < plan.turns; turn++) {
    const ways: readonly VoteChecks[] = ['at-quorum', 'on-arrival'];
    for (const way of turn % 2 === 0 ? ways : ways.toReversed()) {
      taken.set(way, [...(taken.get(way) ?? []), await inFourProcesses(way, plan.spans)]);
    }
  }
  const found = new Map([...taken].map(([way, each]): [VoteChecks, Figures] => [way, meanOf(each)]));
  printWays('four validators in processes of this machine, mean of a node', found);
  drawWays(draw, 'four validators in processes of one machine', found);
  const { block, finality, cpu, samples } = ratiosOf(found, 'on-arrival');
  return [
    claim('cpu_ratio_n4_processes', cpu, 'ratio', samples),
    claim('cpu_ratio_per_block_n4_processes', cpu * block, 'ratio', samples),
    claim('block_ratio_n4_processes', block, 'ratio', samples),
    claim('finality_ratio_n4_processes', finality, 'ratio', samples),
  ];
}

async function inFourProcesses(way: VoteChecks, spans: Spans): Promise<Figures> {
  const interval = ['--consensus-idle-block-interval-ms', String(BLOCK_INTERVAL_MS)];
  let finalityMs = Number.NaN;
  const measured: MeasuredChain = await measureChain(
    [...interval, '--development-vote-checks', way],
    spans,
    async (cluster) => {
      // Only now: the streams would cost the nodes processor time.
      const watch = watchCluster(cluster);
      await new Promise((resolve) => setTimeout(resolve, STATS_WAIT_MS));
      finalityMs = readLatencies(cluster, watch).finalityMs?.p50 ?? Number.NaN;
      watch.stop();
    },
  );
  const { cores, blocksPerSecond, samples } = measured;
  print(`  ${NAMES[way]}: ${blocksPerSecond.toFixed(1)} blocks per second, ${cores.toFixed(3)} cores`);
  return { blockMs: 1000 / blocksPerSecond, finalityMs, cores, samples };
}

function meanOf(each: readonly Figures[]): Figures {
  const mean = (of: (figures: Figures) => number) => each.reduce((sum, figures) => sum + of(figures), 0) / each.length;
  return {
    blockMs: mean(({ blockMs }) => blockMs),
    finalityMs: mean(({ finalityMs }) => finalityMs),
    cores: mean(({ cores }) => cores),
    samples: each.reduce((sum, { samples }) => sum + samples, 0),
  };
}

function figuresIn(found: ByWay, way: VoteChecks): Figures {
  const figures = found.get(way);
  if (figures === undefined) throw new Error(`nothing was measured ${way}`);
  return figures;
}

/** Eager over buffered. `cpu` is processor time per second, as in the source. */
function ratiosOf(found: ByWay, way: VoteChecks) {
  const [eager, buffered] = [figuresIn(found, way), figuresIn(found, 'at-quorum')];
  return {
    block: eager.blockMs / buffered.blockMs,
    finality: eager.finalityMs / buffered.finalityMs,
    cpu: eager.cores / buffered.cores,
    samples: buffered.samples,
  };
}

function printWays(title: string, found: ByWay): void {
  printTable(
    title,
    ['votes checked', 'block time, ms', 'finality, ms', 'cores of a node', 'core ms a block'],
    [...found].map(([way, { blockMs, finalityMs, cores }]) => [
      NAMES[way],
      blockMs.toFixed(1),
      finalityMs.toFixed(1),
      cores.toFixed(3),
      (cores * blockMs).toFixed(1),
    ]),
  );
}

function drawWays(draw: BenchOptions['draw'], where: string, found: ByWay): void {
  const ours = [...found].map(([way, figures]) => ({ name: NAMES[way], figures }));
  const both = [...ours, ...SOURCE];
  draw({
    title: `Votes checked in bulk or one by one: ${where}`,
    about: 'Time between blocks, and from a proposal to its finality.',
    unit: 'ms',
    x: { name: 'time', unit: '', values: ['block time', 'finality'] },
    kind: 'bars',
    lines: both.map(({ name, figures: { blockMs, finalityMs } }) => ({ name, values: [blockMs, finalityMs] })),
  });
  draw({
    title: `Processor of a node: ${where}`,
    about: 'Cores that a node keeps busy. The source ran on machines of its own, in another language.',
    unit: 'cores',
    x: { name: 'votes', unit: '', values: ['cores'] },
    kind: 'bars',
    lines: both.map(({ name, figures: { cores } }) => ({ name, values: [cores] })),
  });
}
