/** Equivocating leaders and crashed members, in virtual time, with transfers at a steady rate. */
import type { Chart } from '@slipstream/app-loadgen';
import type { PipelineMode } from '@slipstream/pipeline';
import { type BenchOptions, type Claim, claim, printTable, quantile } from '../claim.ts';
import { mean, meanParts, PARTS } from './latency-parts.ts';
import { MEMBERS } from './machine.ts';
import { type Machine, runVirtual, type VirtualRun } from './virtual-run.ts';
import { measureExecution } from './workloads.ts';

interface Fault {
  readonly name: string;
  readonly equivocating: number;
  readonly crashed: number;
}

const FAULTS: readonly Fault[] = [
  { name: 'no_fault', equivocating: 0, crashed: 0 },
  { name: 'equivocating_1', equivocating: 1, crashed: 0 },
  { name: 'equivocating_3', equivocating: 3, crashed: 0 },
  { name: 'crashed_1', equivocating: 0, crashed: 1 },
  { name: 'crashed_3', equivocating: 0, crashed: 3 },
];

const FULL = { views: 100, warmUpViews: 10, transactionsPerSecond: 100, blocks: 40 };
const SMOKE = { views: 6, warmUpViews: 2, transactionsPerSecond: 20, blocks: 3 };
const SMOKE_FAULT = 'equivocating_3';
const BLOCK_INTERVAL_MS = 100;

/** A fault in both modes. */
interface Pair {
  readonly fault: Fault;
  readonly parallel: VirtualRun;
  readonly sequential: VirtualRun;
}

export async function runFaults(machine: Machine, { smoke, draw }: BenchOptions): Promise<Claim[]> {
  const { views, warmUpViews, transactionsPerSecond, blocks } = smoke ? SMOKE : FULL;
  const executeMs = await measureExecution('transfers', { few: 5, many: 50, blocks });
  const runIn = (mode: PipelineMode, { equivocating, crashed }: Fault) =>
    runVirtual({
      mode,
      equivocating,
      crashed,
      views,
      warmUpViews,
      transactionsPerSecond,
      machine,
      executeMs,
      members: MEMBERS,
      fullNodeEach: 1,
      workload: 'transfers',
      minBlockIntervalMs: BLOCK_INTERVAL_MS,
    });
  const pairs: Pair[] = [];
  for (const fault of FAULTS.filter(({ name }) => !smoke || name === SMOKE_FAULT)) {
    pairs.push({ fault, parallel: await runIn('parallel', fault), sequential: await runIn('sequential', fault) });
  }
  printFaults(pairs);
  draw(chartOf(pairs));
  return pairs.flatMap(claimsOf);
}

function claimsOf({ fault, parallel, sequential }: Pair): Claim[] {
  const name = (what: string) => `${fault.name}_${what}`;
  const samples = parallel.latenciesMs.length;
  const [parallelMs, sequentialMs] = [mean(parallel.latenciesMs), mean(sequential.latenciesMs)];
  return [
    claim(name('parallel_ms'), parallelMs, 'ms', samples),
    claim(name('sequential_ms'), sequentialMs, 'ms', sequential.latenciesMs.length),
    claim(name('reduction'), 1 - parallelMs / sequentialMs, 'share', samples),
    claim(name('views_lost'), parallel.viewsLost / parallel.setting.views, 'share', parallel.setting.views),
  ];
}

function chartOf(pairs: readonly Pair[]): Chart {
  const line = (mode: PipelineMode) => {
    const at = (share: number) => pairs.map((pair) => quantile(pair[mode].latenciesMs, share));
    return { name: mode, values: pairs.map((pair) => mean(pair[mode].latenciesMs)), low: at(0.25), high: at(0.75) };
  };
  return {
    title: 'Latency under faults',
    about:
      'From submission to the commit at the full node, mean with p25 and p75, virtual time; lost views are waited for.',
    unit: 'ms',
    kind: 'bars',
    x: { name: 'fault', unit: '', values: pairs.map(({ fault }) => fault.name.replace('_', ' ')) },
    lines: [line('parallel'), line('sequential')],
  };
}

function printFaults(pairs: readonly Pair[]): void {
  printTable(
    `virtual time, ${MEMBERS} members; from submission to the commit at the full node, ms`,
    [
      'run',
      'transactions',
      'mean',
      'p25',
      'p50',
      'p75',
      'p99',
      'views lost',
      'of faulty',
      'interval',
      'open',
      ...PARTS,
    ],
    pairs.flatMap(({ fault, parallel, sequential }) =>
      [parallel, sequential].map((run) => [
        `${fault.name}, ${run.setting.mode}`,
        run.latenciesMs.length,
        mean(run.latenciesMs).toFixed(0),
        ...[0.25, 0.5, 0.75, 0.99].map((share) => quantile(run.latenciesMs, share).toFixed(0)),
        `${run.viewsLost} of ${run.setting.views}`,
        run.viewsOfFaulty,
        run.blockIntervalMs.toFixed(0),
        run.open,
        ...meanParts(run.parts).map((ms) => ms.toFixed(1)),
      ]),
    ),
  );
}
