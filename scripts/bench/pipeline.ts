/**
 * The `pipeline` bench: the pipeline parallel (Zaptos) and sequential (its baseline), end to end at full nodes.
 *
 * 50 validators in the ten regions of `geo`, with that bench's costs; a full node beside one validator of each region. END TO END: one link
 * from the full node to the validator, plus the time from sending the proposal with the transaction to the commit at the full node. Loads:
 *
 *   low    transfers: execution and commit take what they take on this machine
 *   heavy  a calibrated action: execution and appending take one exchange of votes each
 *
 * Blocks come no faster than executor and disk can take them: otherwise queues would be measured. The heavy load also runs with 1 and 3 of
 * 10 leaders that show a third of the network another block. Docs: docs/performance/pipeline.md.
 */
import { type ConsensusOptions, WAN_OPTIONS } from '@slipstream/consensus';
import type { BlockChunk } from '@slipstream/execution';
import type { PipelineMode } from '@slipstream/pipeline';
import type { DiskCall } from '@slipstream/simulator';
import { print } from '../print.ts';
import { type BenchOptions, type Claim, claim, printTable, quantile } from './claim.ts';
import { type RunResult, runCommittee, seededUnit } from './geo/committee-run.ts';
import { type Costs, NO_COSTS } from './geo/costs.ts';
import { networkLimit } from './geo/network-limit.ts';
import { drawDelays, REGIONS } from './geo/regions.ts';
import { measure } from './geo.ts';
import { createBenchApplication, type FullNodeWatch } from './pipeline/application.ts';
import { measureLowLoad } from './pipeline/low-load.ts';
import { type Delays, predict } from './pipeline/prediction.ts';
import { twoFaced } from './pipeline/two-faced.ts';

interface Plan {
  readonly members: number;
  readonly warmUpViews: number;
  readonly views: number;
}

const FULL: Plan = { members: 50, warmUpViews: 4, views: 12 };
const SMOKE: Plan = { members: 10, warmUpViews: 3, views: 8 };

/** One way, between a full node and its validator. */
const LINK_MS = 1;
const LOW_LOAD_TRANSACTIONS = 10;
const HEAVY_TRANSACTIONS = 2;
/** Busy share of an executor or a disk. Below 1: early votes can make blocks come faster than a heavy one executes. */
const LANE_BUSY_SHARE_MAX = 0.8;

interface Load {
  readonly name: 'low' | 'heavy';
  readonly executeMs: number;
  readonly appendMs: number;
  readonly transactions: number;
}

interface Measured {
  readonly load: Load;
  readonly mode: PipelineMode;
  readonly liars: number;
  readonly endToEndMs: readonly number[];
  /** From order to commit at the full node. */
  readonly afterOrderMs: readonly number[];
  readonly hiddenShare: number;
  readonly consensusMs: number;
  readonly voteMs: number;
  readonly viewsLost: number;
}

export async function run({ smoke }: BenchOptions): Promise<Claim[]> {
  const plan = smoke ? SMOKE : FULL;
  const costs = smoke ? NO_COSTS : await measure({ members: plan.members, warmUpViews: plan.warmUpViews }, smoke);
  const voteMs = exchangeOfVotesMs(plan.members);
  const low: Load = {
    name: 'low',
    ...(await measureLowLoad(LOW_LOAD_TRANSACTIONS)),
    transactions: LOW_LOAD_TRANSACTIONS,
  };
  const heavy: Load = { name: 'heavy', executeMs: voteMs, appendMs: voteMs, transactions: HEAVY_TRANSACTIONS };
  const tenth = Math.max(1, Math.round(plan.members / 10));
  const runs: Record<string, readonly [Measured, Measured]> = {};
  for (const [name, load, liars] of [
    ['low', low, 0],
    ['heavy', heavy, 0],
    ['equivocating 1 of 10', heavy, tenth],
    ['equivocating 3 of 10', heavy, 3 * tenth],
  ] as const) {
    const both = { plan, costs, load, liars };
    runs[name] = [await measureRun({ ...both, mode: 'parallel' }), await measureRun({ ...both, mode: 'sequential' })];
  }
  printRuns(plan, runs);
  return claimsOf(runs);
}

/** By the network's own limit: one more quorum of votes. */
function exchangeOfVotesMs(members: number): number {
  const quorum = Math.floor((2 * members) / 3) + 1;
  const leaders = Array.from({ length: 4 * members }, (_, at) => at % members);
  const draw = drawDelays(seededUnit('pipeline delay'));
  const { finalityMs, notarizationMs } = networkLimit({ members, quorum, crashed: new Set(), leaders, draw });
  return finalityMs - notarizationMs;
}

interface RunPlan {
  readonly plan: Plan;
  readonly costs: Costs;
  readonly load: Load;
  readonly mode: PipelineMode;
  readonly liars: number;
}

async function measureRun({ plan, costs, load, mode, liars }: RunPlan): Promise<Measured> {
  const chunks = new Map<string, BlockChunk>();
  const lying = new Set(Array.from({ length: liars }, (_, at) => Math.floor((at * plan.members) / liars)));
  const seen: Seen[] = [];
  const result = await runCommittee({
    ...plan,
    seed: 'pipeline',
    options: pacedFor(load),
    costs,
    diskLatencyMs: (call) => diskLatencyMs(call, load, costs),
    speech: (transport, self, chain, signer) => (lying.has(self) ? twoFaced(transport, chain, signer) : transport),
    application(world, self, chain) {
      const { executeMs, transactions } = load;
      const bench = { chunks, linkMs: LINK_MS };
      const watch = self < REGIONS.length ? watchFullNode(() => world.clock.monotonicMs(), seen) : undefined;
      return createBenchApplication(world, chain, { mode, executeMs, transactions }, bench, watch);
    },
  });
  const measured = summary({ load, mode, liars }, result, seen);
  print(`  ${load.name}, ${liars} liars, ${mode}: ${mean(measured.endToEndMs).toFixed(0)} ms end to end`);
  return measured;
}

function pacedFor({ executeMs, appendMs }: Load): ConsensusOptions {
  const laneMs = Math.max(executeMs, appendMs) / LANE_BUSY_SHARE_MAX;
  return { ...WAN_OPTIONS, minBlockIntervalMs: Math.max(WAN_OPTIONS.minBlockIntervalMs, Math.ceil(laneMs)) };
}

interface Seen {
  readonly view: number;
  readonly orderedMs: number;
  readonly committedMs: number;
  readonly hiddenShare: number;
}

function watchFullNode(nowMs: () => number, seen: Seen[]): FullNodeWatch {
  const ordered = new Map<number, number>();
  return {
    ordered: (view) => void ordered.set(view, nowMs()),
    committed({ block: { view }, hidden }) {
      const orderedMs = ordered.get(view);
      if (orderedMs !== undefined) seen.push({ view, orderedMs, committedMs: nowMs(), hiddenShare: hidden.share });
    },
  };
}

function summary(of: Pick<Measured, 'load' | 'mode' | 'liars'>, result: RunResult, seen: readonly Seen[]): Measured {
  const sentMs = new Map(result.blocks.map((block) => [block.view, block.sentMs]));
  const counted = seen.filter(({ view }) => sentMs.has(view));
  if (counted.length === 0) throw new Error(`${of.load.name}, ${of.mode}: no full node committed a block`);
  return {
    ...of,
    endToEndMs: counted.map(({ view, committedMs }) => LINK_MS + committedMs - (sentMs.get(view) as number)),
    afterOrderMs: counted.map(({ orderedMs, committedMs }) => committedMs - orderedMs),
    hiddenShare: mean(counted.map(({ hiddenShare }) => hiddenShare)),
    consensusMs: mean(result.blocks.map((block) => mean(block.finalMs) - block.sentMs)),
    voteMs: mean(result.blocks.map((block) => mean(block.finalMs) - mean(block.notarizedMs))),
    viewsLost: result.viewsNullified,
  };
}

/** Appends to the state store's log files take the load's time; other syncs, of the journal too, are small. */
function diskLatencyMs({ operation, path }: DiskCall, { appendMs }: Load, { syncMs }: Costs): number {
  if (operation === 'sync' && /-state\/[0-9]+\.log$/.test(path)) return appendMs;
  return operation.startsWith('sync') ? syncMs : 0;
}

type Runs = Readonly<Record<string, readonly [Measured, Measured]>>;

function reductionOf([parallel, sequential]: readonly [Measured, Measured]): number {
  return 1 - mean(parallel.endToEndMs) / mean(sequential.endToEndMs);
}

function delaysOf({ consensusMs, voteMs, load }: Measured): Delays {
  return { consensusMs, voteMs, linkMs: LINK_MS, executeMs: load.executeMs, commitMs: load.appendMs };
}

function claimsOf(runs: Runs): Claim[] {
  const pair = (name: string) => runs[name] as readonly [Measured, Measured];
  const samples = (name: string) => pair(name)[0].endToEndMs.length;
  const ofPrediction = (name: string) => reductionOf(pair(name)) / predict(delaysOf(pair(name)[0])).reduction;
  const reduction = (name: string, of: string) => claim(name, reductionOf(pair(of)), 'share', samples(of));
  return [
    reduction('low_load_reduction', 'low'),
    reduction('heavy_reduction', 'heavy'),
    claim('of_prediction_low', ofPrediction('low'), 'share', samples('low')),
    claim('of_prediction_heavy', ofPrediction('heavy'), 'share', samples('heavy')),
    claim('hidden_share_low', pair('low')[0].hiddenShare, 'share', samples('low')),
    claim('hidden_share_heavy', pair('heavy')[0].hiddenShare, 'share', samples('heavy')),
    reduction('equivocating_1_reduction', 'equivocating 1 of 10'),
    reduction('equivocating_3_reduction', 'equivocating 3 of 10'),
    claim('after_order_low_p50_ms', quantile(pair('low')[0].afterOrderMs, 0.5), 'ms', samples('low')),
  ];
}

function printRuns({ members }: Plan, runs: Runs): void {
  const rows = Object.entries(runs).flatMap(([name, both]) => {
    const prediction = predict(delaysOf(both[0]));
    return both.map((measured): (string | number)[] => [
      `${name}, ${measured.mode}`,
      measured.load.executeMs.toFixed(1),
      measured.load.appendMs.toFixed(1),
      measured.consensusMs.toFixed(0),
      measured.voteMs.toFixed(0),
      mean(measured.endToEndMs).toFixed(0),
      quantile(measured.endToEndMs, 0.5).toFixed(0),
      quantile(measured.endToEndMs, 0.95).toFixed(0),
      (measured.mode === 'parallel' ? prediction.parallelMs : prediction.sequentialMs).toFixed(0),
      quantile(measured.afterOrderMs, 0.5).toFixed(1),
      measured.hiddenShare.toFixed(3),
      String(measured.viewsLost),
    ]);
  });
  printTable(
    `${members} validators, full nodes beside ${REGIONS.length} of them; end to end at the full nodes, ms`,
    ['run', 'E', 'C', 'final', 'd', 'mean', 'p50', 'p95', 'predicted', 'after order', 'hidden', 'views lost'],
    rows,
  );
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
