/** Workloads without faults, in virtual time: how much of their work consensus hides, against the prediction of the theorem. */
import type { Chart } from '@slipstream/app-loadgen';
import type { PipelineMode } from '@slipstream/pipeline';
import { type BenchOptions, type Claim, claim, printTable, quantile } from '../claim.ts';
import { EXPOSED } from './latencies.ts';
import { mean, meanParts, PARTS } from './latency-parts.ts';
import { MEMBERS } from './machine.ts';
import { LINK_MS } from './member.ts';
import { type MeasuredMode, predict, reductionFromProposal } from './prediction.ts';
import { type Machine, runVirtual, type VirtualRun } from './virtual-run.ts';
import { type ExecuteMs, measureExecution, type WorkloadName } from './workloads.ts';

interface Load {
  readonly workload: WorkloadName;
  /** In claims. */
  readonly name: string;
  /** A block's share of the executor's and the disk's time is below 1: queues would be measured otherwise. */
  readonly minBlockIntervalMs: number;
  readonly transactionsPerBlock: number;
}

const LOADS: readonly Load[] = [
  { workload: 'transfers', name: 'low', minBlockIntervalMs: 150, transactionsPerBlock: 10 },
  { workload: 'compute', name: 'heavy', minBlockIntervalMs: 150, transactionsPerBlock: 250 },
  { workload: 'data', name: 'data', minBlockIntervalMs: 150, transactionsPerBlock: 100 },
];

/** A full node and a client beside one member in three: all execute really, on this machine. */
const FULL_NODE_EACH = 3;
const FULL = { views: 24, warmUpViews: 6, blocks: 20, share: 1 };
const SMOKE = { views: 4, warmUpViews: 2, blocks: 3, share: 0.02 };
const SMOKE_WORKLOAD: WorkloadName = 'compute';

interface Pair {
  readonly load: Load;
  readonly parallel: VirtualRun;
  readonly sequential: VirtualRun;
}

export async function runWorkloads(machine: Machine, { smoke, draw }: BenchOptions): Promise<Claim[]> {
  const { views, warmUpViews, blocks, share } = smoke ? SMOKE : FULL;
  const pairs: Pair[] = [];
  for (const load of LOADS.filter((each) => !smoke || each.workload === SMOKE_WORKLOAD)) {
    const { workload, minBlockIntervalMs } = load;
    const many = Math.max(2, Math.round(load.transactionsPerBlock * share));
    const executeMs: ExecuteMs = await measureExecution(workload, { few: 1, many, blocks });
    const runIn = (mode: PipelineMode) =>
      runVirtual({
        mode,
        workload,
        executeMs,
        machine,
        views,
        warmUpViews,
        minBlockIntervalMs,
        members: MEMBERS,
        equivocating: 0,
        crashed: 0,
        fullNodeEach: FULL_NODE_EACH,
        transactionsPerSecond: (many * 1_000) / minBlockIntervalMs,
      });
    pairs.push({ load, parallel: await runIn('parallel'), sequential: await runIn('sequential') });
  }
  printWorkloads(pairs);
  printExposed(pairs);
  for (const pair of pairs) draw(chartOf(pair));
  return pairs.flatMap(claimsOf);
}

function measuredOf({ parts }: VirtualRun): MeasuredMode {
  const [disseminationMs = 0, queueMs = 0, ...after] = meanParts(parts);
  return { beforeMs: disseminationMs + queueMs, afterMs: after.reduce((sum, ms) => sum + ms, 0) };
}

function predictionOf({ parallel, sequential }: Pair) {
  const { consensusMs, voteMs, executeMs, appendMs } = parallel;
  return predict({
    consensusMs,
    voteMs,
    executeMs,
    beforeMs: (measuredOf(parallel).beforeMs + measuredOf(sequential).beforeMs) / 2,
    linkMs: LINK_MS,
    commitMs: appendMs,
    baselineRuns: 2,
  });
}

const reductionOf = ({ parallel, sequential }: Pair) => 1 - mean(parallel.latenciesMs) / mean(sequential.latenciesMs);

function claimsOf(pair: Pair): Claim[] {
  const { load, parallel, sequential } = pair;
  const samples = parallel.latenciesMs.length;
  const comparable = reductionFromProposal(measuredOf(parallel), measuredOf(sequential));
  return [
    claim(`virtual_${load.name}_execute_ms`, parallel.executeMs, 'ms', samples),
    claim(`virtual_${load.name}_append_ms`, parallel.appendMs, 'ms', samples),
    claim(`virtual_${load.name}_reduction`, reductionOf(pair), 'share', samples),
    claim(`of_prediction_virtual_${load.name}`, comparable / predictionOf(pair).reduction, 'share', samples),
    // At low load a commit's own record, which cannot be hidden, is most of the work.
    ...(load.name === 'low' ? [] : [claim(`hidden_share_${load.name}`, parallel.hiddenShare, 'share', samples)]),
  ];
}

function chartOf(pair: Pair): Chart {
  const {
    load: { workload, transactionsPerBlock },
    parallel,
    sequential,
  } = pair;
  const runs = [parallel, sequential];
  const means = runs.map((run) => meanParts(run.parts));
  const { parallelMs, sequentialMs } = predictionOf(pair);
  return {
    title: `Stages of the latency: ${workload}`,
    about: `Mean part of each stage, virtual time, some ${transactionsPerBlock} transactions a block. The last bars are the theorem’s totals.`,
    unit: 'ms',
    kind: 'bars',
    x: { name: 'mode', unit: '', values: runs.map(({ setting }) => setting.mode) },
    lines: [
      ...PARTS.map((name, part) => ({ name, values: means.map((each) => each[part]) })),
      { name: 'predicted by theorem 4.3', values: [parallelMs, sequentialMs] },
    ],
  };
}

function printWorkloads(pairs: readonly Pair[]): void {
  printTable(
    `virtual time, ${MEMBERS} members; from submission to the commit at the full node, ms`,
    [
      'run',
      'transactions',
      'E',
      'C',
      'final',
      'd',
      'mean',
      'predicted',
      'p25',
      'p50',
      'p75',
      'hidden',
      'interval',
      'open',
      ...PARTS,
    ],
    pairs.flatMap((pair) =>
      [pair.parallel, pair.sequential].map((run) => {
        const predicted = predictionOf(pair);
        return [
          `${pair.load.workload}, ${run.setting.mode}`,
          run.latenciesMs.length,
          run.executeMs.toFixed(1),
          run.appendMs.toFixed(1),
          run.consensusMs.toFixed(0),
          run.voteMs.toFixed(0),
          mean(run.latenciesMs).toFixed(0),
          (run === pair.parallel ? predicted.parallelMs : predicted.sequentialMs).toFixed(0),
          ...[0.25, 0.5, 0.75].map((share) => quantile(run.latenciesMs, share).toFixed(0)),
          run.hiddenShare.toFixed(3),
          run.blockIntervalMs.toFixed(0),
          run.open,
          ...meanParts(run.parts).map((ms) => ms.toFixed(1)),
        ];
      }),
    ),
  );
}

/** What the commit's own record takes can never be hidden. */
function printExposed(pairs: readonly Pair[]): void {
  printTable(
    'parallel: work of a block at full nodes after its order was known, mean ms; share hidden of all blocks together',
    ['run', ...EXPOSED, 'hidden of all'],
    pairs.map(({ load, parallel }) => [
      load.workload,
      ...parallel.exposedMs.map((ms) => ms.toFixed(2)),
      parallel.hiddenOfAll.toFixed(3),
    ]),
  );
}
