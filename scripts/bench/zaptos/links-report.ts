/** The loads of links.ts in both modes: claims, tables, comparison with the prediction. */
import type { Chart } from '@slipstream/app-loadgen';
import { print } from '../../print.ts';
import { type BenchOptions, type Claim, claim, printTable, quantile } from '../claim.ts';
import { mean, meanParts, PARTS } from './latency-parts.ts';
import { BLOCK_INTERVAL_MS, CORES, type LinksEffort, type LoadResult, measureLinks } from './links.ts';
import { predict } from './prediction.ts';

/** In the warm-up eleven processes compile their code. */
export const FULL_LINKS: LinksEffort = {
  validators: 10,
  warmUpSeconds: 30,
  warmUpTps: 60,
  lowTps: 20,
  lowSeconds: 40,
  loads: [100, 200, 300, 450],
  seconds: 15,
};
export const SMOKE_LINKS: LinksEffort = {
  validators: 4,
  warmUpSeconds: 1,
  warmUpTps: 20,
  lowTps: 20,
  lowSeconds: 2,
  loads: [],
  seconds: 2,
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
  const parallel = await measureLinks('parallel', effort);
  const sequential = await measureLinks('sequential', effort);
  const both = { parallel, sequential };
  printLinks([...parallel, ...sequential]);
  draw(throughputChart(both));
  for (const mode of [parallel, sequential]) draw(stageChart(mode));
  draw(clientsChart(both, effort));
  return claimsOf(both, effort);
}

function at(results: readonly LoadResult[], offered: number, where: LoadResult['at'] = 'full node'): LoadResult {
  const found = results.find((each) => each.offered === offered && each.at === where);
  if (found === undefined || found.latenciesMs.length === 0) throw new Error(`no transaction at ${offered} per second`);
  return found;
}

const peakOf = (results: readonly LoadResult[]) => Math.max(...results.map(({ tps }) => tps));

function claimsOf({ parallel, sequential }: Both, { lowTps }: LinksEffort): Claim[] {
  const [low, lowSequential] = [at(parallel, lowTps), at(sequential, lowTps)];
  const samples = low.latenciesMs.length;
  const reduction = reductionOf(low, lowSequential);
  const afterOrderMs = low.blocks.map(({ fullNode }) => fullNode.committedMs - fullNode.finalizedMs);
  const ahead = low.blocks.filter(({ fullNode }) => fullNode.optCommittedMs <= fullNode.finalizedMs).length;
  const [atValidator, atValidatorSequential] = [parallel, sequential].map((all) => at(all, lowTps, 'validator')) as [
    LoadResult,
    LoadResult,
  ];
  return [
    ...[...parallel, ...sequential].filter((each) => each.at === 'full node').flatMap(rowOf),
    ...[low, lowSequential].flatMap(partClaims),
    claim('low_reduction', reduction, 'share', samples),
    claim('of_prediction_low', reduction / predictedReduction(low), 'share', samples),
    claim('after_order_low_p50_ms', quantile(afterOrderMs, 0.5), 'ms', low.blocks.length),
    claim('ahead_share_low', ahead / low.blocks.length, 'share', low.blocks.length),
    claim('peak_ratio', peakOf(parallel) / peakOf(sequential), 'ratio', parallel.length),
    claim('validator_clients_p50_ms', quantile(atValidator.latenciesMs, 0.5), 'ms', atValidator.latenciesMs.length),
    claim(
      'validator_clients_reduction',
      reductionOf(atValidator, atValidatorSequential),
      'share',
      atValidator.latenciesMs.length,
    ),
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

/** Finality depends on the leader's region: the mean over leaders, of blocks in both modes. */
function meanByLeader({ blocks }: LoadResult, of: readonly number[]): number {
  return mean(
    of.map((leader) => mean(blocks.filter((block) => block.leader === leader).flatMap((b) => b.latenciesMs))),
  );
}

function reductionOf(parallel: LoadResult, sequential: LoadResult): number {
  const leaders = [...new Set(parallel.blocks.map(({ leader }) => leader))].filter((leader) =>
    sequential.blocks.some((block) => block.leader === leader),
  );
  return 1 - meanByLeader(parallel, leaders) / meanByLeader(sequential, leaders);
}

function predictedReduction({ parts, blocks }: LoadResult): number {
  const [disseminationMs = 0, queueMs = 0, consensusMs = 0] = meanParts(parts);
  return predict({
    beforeMs: disseminationMs + queueMs,
    consensusMs,
    voteMs: mean(blocks.map(({ validator }) => validator.finalizedMs - validator.notarizedMs)),
    linkMs: 0,
    executeMs: mean(blocks.map(({ fullNode }) => fullNode.digestedMs - fullNode.preparedMs)),
    commitMs: mean(blocks.map(({ fullNode }) => fullNode.optCommittedMs - fullNode.digestedMs)),
    baselineRuns: 1,
  }).reduction;
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
