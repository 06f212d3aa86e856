/**
 * The loads of links.ts in both modes: claims, tables, comparison with the prediction. The low load is measured in turns; its claims are of all turns
 * of a mode together.
 */
import type { Chart } from '@slipstream/app-loadgen';
import { print } from '../../print.ts';
import { type BenchOptions, type Claim, claim, printTable, quantile } from '../claim.ts';
import { mean, meanParts, PARTS } from './latency-parts.ts';
import {
  BLOCK_INTERVAL_MS,
  CORES,
  type LinksEffort,
  type LoadResult,
  measureLinks,
  type TimedBlock,
  type Turn,
} from './links.ts';
import { type Delays, type MeasuredMode, predict, reductionFromProposal } from './prediction.ts';
import { stageGains } from './stage-gains.ts';

const turnsOf = (loads: Turn['loads']): readonly Turn[] => [
  { mode: 'parallel', loads },
  { mode: 'sequential', loads },
  { mode: 'sequential', loads: 'low' },
  { mode: 'parallel', loads: 'low' },
];

/** In the warm-up eleven processes compile their code. */
export const FULL_LINKS: LinksEffort = {
  validators: 10,
  warmUpSeconds: 30,
  warmUpTps: 60,
  lowTps: 20,
  lowSeconds: 40,
  loads: [100, 200, 300, 450],
  seconds: 15,
  turns: turnsOf('all'),
};
/** The low load alone: where its latency differs from the prediction. */
export const LOW_LINKS: LinksEffort = { ...FULL_LINKS, loads: [], turns: turnsOf('low') };
export const SMOKE_LINKS: LinksEffort = {
  validators: 4,
  warmUpSeconds: 1,
  warmUpTps: 20,
  lowTps: 20,
  lowSeconds: 2,
  loads: [],
  seconds: 2,
  turns: turnsOf('all').slice(0, 2),
};

interface Both {
  readonly parallel: readonly LoadResult[];
  readonly sequential: readonly LoadResult[];
}

export async function runLinks(effort: LinksEffort, { draw }: BenchOptions): Promise<Claim[]> {
  print(
    `  ${effort.validators} validators and a full node in processes of their own, ${CORES} cores; a block every ` +
      `${BLOCK_INTERVAL_MS} ms, so that at low load the machine is not the limit`,
  );
  const results = await measureLinks(effort);
  const both = { parallel: ofMode(results, 'parallel'), sequential: ofMode(results, 'sequential') };
  printLinks(results);
  printTurns(results, effort);
  printGains(both, effort);
  if (effort.turns.every(({ loads }) => loads === 'low')) return lowClaims(both, effort);
  draw(throughputChart(both));
  for (const mode of [both.parallel, both.sequential]) draw(stageChart(mode));
  draw(clientsChart(both, effort));
  return [...lowClaims(both, effort), ...otherClaims(both, effort)];
}

/** Its loads, those of several turns joined. */
function ofMode(all: readonly LoadResult[], mode: LoadResult['mode']): readonly LoadResult[] {
  const joined = new Map<string, LoadResult>();
  for (const result of all.filter((each) => each.mode === mode)) {
    const key = `${result.at} ${result.offered}`;
    const before = joined.get(key);
    joined.set(key, before === undefined ? result : join(before, result));
  }
  return [...joined.values()];
}

function join(a: LoadResult, b: LoadResult): LoadResult {
  return {
    ...a,
    latenciesMs: [...a.latenciesMs, ...b.latenciesMs],
    parts: [...a.parts, ...b.parts],
    blocks: [...a.blocks, ...b.blocks],
    sent: a.sent + b.sent,
    refused: a.refused + b.refused,
    tps: mean([a.tps, b.tps]),
    busyShare: mean([a.busyShare, b.busyShare]),
    blockIntervalMs: mean([a.blockIntervalMs, b.blockIntervalMs]),
  };
}

function at(results: readonly LoadResult[], offered: number, where: LoadResult['at'] = 'full node'): LoadResult {
  const found = results.find((each) => each.offered === offered && each.at === where);
  if (found === undefined || found.latenciesMs.length === 0) throw new Error(`no transaction at ${offered} per second`);
  return found;
}

const peakOf = (results: readonly LoadResult[]) => Math.max(...results.map(({ tps }) => tps));

function lowClaims({ parallel, sequential }: Both, { lowTps }: LinksEffort): Claim[] {
  const [low, lowSequential] = [at(parallel, lowTps), at(sequential, lowTps)];
  const samples = low.latenciesMs.length;
  const comparable = reductionFromProposal(...measuredModes(low, lowSequential));
  const afterOrderMs = low.blocks.map(({ fullNode }) => fullNode.committedMs - fullNode.finalizedMs);
  const ahead = low.blocks.filter(({ fullNode }) => fullNode.optCommittedMs <= fullNode.finalizedMs).length;
  return [
    ...[low, lowSequential].flatMap(rowOf),
    ...[low, lowSequential].flatMap(partClaims),
    claim('low_reduction', reductionOf(low, lowSequential), 'share', samples),
    claim('low_before_difference_ms', beforeMs(low) - beforeMs(lowSequential), 'ms', samples),
    claim('of_prediction_low', comparable / predict(delaysOf(low, lowSequential)).reduction, 'share', samples),
    claim('after_order_low_p50_ms', quantile(afterOrderMs, 0.5), 'ms', low.blocks.length),
    claim('ahead_share_low', ahead / low.blocks.length, 'share', low.blocks.length),
  ];
}

function otherClaims({ parallel, sequential }: Both, { lowTps }: LinksEffort): Claim[] {
  const [atValidator, atValidatorSequential] = [parallel, sequential].map((all) => at(all, lowTps, 'validator')) as [
    LoadResult,
    LoadResult,
  ];
  const { latenciesMs } = atValidator;
  return [
    ...[...parallel, ...sequential].filter((each) => each.at === 'full node' && each.offered !== lowTps).flatMap(rowOf),
    claim('peak_ratio', peakOf(parallel) / peakOf(sequential), 'ratio', parallel.length),
    claim('validator_clients_p50_ms', quantile(latenciesMs, 0.5), 'ms', latenciesMs.length),
    claim('validator_clients_reduction', reductionOf(atValidator, atValidatorSequential), 'share', latenciesMs.length),
  ];
}

function rowOf({ mode, offered, latenciesMs, tps }: LoadResult): Claim[] {
  const name = (what: string) => `${mode}_${offered}_${what}`;
  const samples = latenciesMs.length;
  return [
    ...[25, 50, 75].map((percent) =>
      claim(name(`p${percent}_ms`), quantile(latenciesMs, percent / 100), 'ms', samples),
    ),
    claim(name('tps'), tps, '1/s', samples),
  ];
}

function partClaims({ mode, offered, parts }: LoadResult): Claim[] {
  const means = meanParts(parts);
  return PARTS.map((part, index) =>
    claim(`${mode}_${offered}_${part.replace(' ', '_')}_ms`, means[index] as number, 'ms', parts.length),
  );
}

type BlockTime = (block: TimedBlock) => readonly number[];
const whole: BlockTime = ({ latenciesMs }) => latenciesMs;
/** Of each transaction. */
const afterProposal: BlockTime = ({ latenciesMs, committedMs, madeMs }) => latenciesMs.map(() => committedMs - madeMs);

/** Finality depends on the leader's region: the mean over leaders, of blocks in both modes. */
function meansByLeader(parallel: LoadResult, sequential: LoadResult, of: BlockTime): readonly [number, number] {
  const leaders = [...new Set(parallel.blocks.map(({ leader }) => leader))].filter((leader) =>
    sequential.blocks.some((block) => block.leader === leader),
  );
  const meanOf = ({ blocks }: LoadResult) =>
    mean(leaders.map((leader) => mean(blocks.filter((block) => block.leader === leader).flatMap(of))));
  return [meanOf(parallel), meanOf(sequential)];
}

function reductionOf(parallel: LoadResult, sequential: LoadResult): number {
  const [parallelMs, sequentialMs] = meansByLeader(parallel, sequential, whole);
  return 1 - parallelMs / sequentialMs;
}

function measuredModes(parallel: LoadResult, sequential: LoadResult): readonly [MeasuredMode, MeasuredMode] {
  const [afterMs, afterSequentialMs] = meansByLeader(parallel, sequential, afterProposal);
  return [
    { beforeMs: beforeMs(parallel), afterMs },
    { beforeMs: beforeMs(sequential), afterMs: afterSequentialMs },
  ];
}

function beforeMs({ parts }: LoadResult): number {
  const [disseminationMs = 0, queueMs = 0] = meanParts(parts);
  return disseminationMs + queueMs;
}

/** d, E and C are the parallel mode's. */
function delaysOf(parallel: LoadResult, sequential: LoadResult): Delays {
  const { parts, blocks } = parallel;
  const [, , consensusMs = 0] = meanParts(parts);
  return {
    beforeMs: (beforeMs(parallel) + beforeMs(sequential)) / 2,
    consensusMs,
    voteMs: mean(blocks.map(({ validator }) => validator.finalizedMs - validator.notarizedMs)),
    linkMs: 0,
    executeMs: mean(blocks.map(({ fullNode }) => fullNode.digestedMs - fullNode.preparedMs)),
    commitMs: mean(blocks.map(({ fullNode }) => fullNode.optCommittedMs - fullNode.digestedMs)),
    baselineRuns: 1,
  };
}

function printLinks(all: readonly LoadResult[]): void {
  printTable(
    'real processes, links of ten regions; from submission to commit, ms',
    ['run', 'sent', 'refused', 'tps', 'p25', 'p50', 'p75', 'mean', ...PARTS, 'machine busy'],
    all.map((each) => [
      `${each.mode}, ${each.offered} per second at the ${each.at}`,
      each.sent,
      each.refused,
      each.tps.toFixed(0),
      ...[0.25, 0.5, 0.75].map((share) => quantile(each.latenciesMs, share).toFixed(0)),
      mean(each.latenciesMs).toFixed(0),
      ...meanParts(each.parts).map((ms) => ms.toFixed(1)),
      each.busyShare.toFixed(2),
    ]),
  );
}

/** Turns of one mode that differ show how exact a difference of modes is. */
function printTurns(all: readonly LoadResult[], { lowTps }: LinksEffort): void {
  printTable(
    'low load at the full node by turn; means, ms',
    ['turn', 'transactions', 'blocks', 'interval', 'd', 'E', 'C', 'before', 'after', ...PARTS, 'machine busy'],
    all
      .filter((each) => each.offered === lowTps && each.at === 'full node')
      .map((each) => {
        const { voteMs, executeMs, commitMs } = delaysOf(each, each);
        const means = meanParts(each.parts);
        const before = beforeMs(each);
        const after = means.reduce((sum, ms) => sum + ms, 0) - before;
        return [
          `${each.turn + 1}, ${each.mode}`,
          each.parts.length,
          each.blocks.length,
          ...[each.blockIntervalMs, voteMs, executeMs, commitMs, before, after, ...means].map((ms) => ms.toFixed(1)),
          each.busyShare.toFixed(2),
        ];
      }),
  );
}

function printGains({ parallel, sequential }: Both, { lowTps }: LinksEffort): void {
  const [low, lowSequential] = [at(parallel, lowTps), at(sequential, lowTps)];
  const gains = stageGains(meanParts(low.parts), meanParts(lowSequential.parts), delaysOf(low, lowSequential));
  const total = (of: (typeof NUMBERS)[number]) => gains.reduce((sum, each) => sum + each[of], 0);
  printTable(
    'low load at the full node: what the parallel mode saves by stage; means, ms',
    ['stage', 'parallel', 'sequential', 'saved', 'predicted'],
    [
      ...gains.map((each) => [each.part, ...NUMBERS.map((of) => each[of].toFixed(1))]),
      ['all', ...NUMBERS.map((of) => total(of).toFixed(1))],
    ],
  );
}

const NUMBERS = ['parallelMs', 'sequentialMs', 'gainMs', 'predictedMs'] as const;

const atFullNode = (results: readonly LoadResult[]) => results.filter((each) => each.at === 'full node');

/** Its machines of 64 cores, figure 5b: 1,000 and 20,000 transactions per second, s. */
const SOURCE_RATES = [1_000, 20_000];
const SOURCE_LINES = [
  { name: 'Zaptos, 100 validators of 64 cores', ms: [580, 780] },
  { name: 'Aptos, the same', ms: [740, 1_320] },
];

function throughputChart({ parallel, sequential }: Both): Chart {
  const offered = atFullNode(parallel).map((each) => each.offered);
  const rates = [...offered, ...SOURCE_RATES];
  const line = (results: readonly LoadResult[]) => {
    const own = atFullNode(results);
    const at = (share: number) => rates.map((_, index) => own[index] && quantile(own[index].latenciesMs, share));
    return { name: own[0]?.mode ?? '', values: at(0.5), low: at(0.25), high: at(0.75) };
  };
  return {
    title: 'Latency against throughput',
    about:
      'From submission at the full node to the commit there, p50 with p25 and p75, by the offered rate; real processes on one machine.',
    unit: 'ms',
    kind: 'lines',
    x: { name: 'offered', unit: '1/s', values: rates, isLogarithmic: true },
    lines: [
      line(parallel),
      line(sequential),
      ...SOURCE_LINES.map(({ name, ms }) => ({ name, values: rates.map((_, index) => ms[index - offered.length]) })),
    ],
  };
}

function stageChart(results: readonly LoadResult[]): Chart {
  const own = atFullNode(results);
  const means = own.map(({ parts }) => meanParts(parts));
  return {
    title: `Stages of the latency, ${own[0]?.mode}`,
    about: 'Mean part of each stage in the latency, by the offered rate. The parts add up to the mean latency.',
    unit: 'ms',
    kind: 'bars',
    x: { name: 'offered', unit: '1/s', values: own.map(({ offered }) => offered) },
    lines: PARTS.map((name, part) => ({ name, values: means.map((each) => each[part]) })),
  };
}

function clientsChart({ parallel, sequential }: Both, { lowTps }: LinksEffort): Chart {
  const places = ['full node', 'validator'] as const;
  const line = (results: readonly LoadResult[]) => {
    const own = places.map((where) => at(results, lowTps, where));
    return { name: own[0]?.mode ?? '', values: own.map(({ latenciesMs }) => quantile(latenciesMs, 0.5)) };
  };
  return {
    title: 'Clients at the full node and at a validator',
    about: `p50 with ${lowTps} transactions per second, at the full node and at the validator of its region.`,
    unit: 'ms',
    kind: 'bars',
    x: { name: 'client at the', unit: '', values: places },
    lines: [line(parallel), line(sequential)],
  };
}
