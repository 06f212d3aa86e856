/**
 * The `throughput-distilled` bench: 4 validators, 1 full node and gateways on this machine, over the brokers' public streams.
 *
 *   register accounts --> rows and straggler signatures of a step, made before it --> send them when they are due --> outcomes, balances
 *   knee: steps of twice the rate, until one does not hold --> below it, held for a minute
 *
 * Windows, headers, roots, shares and batches are real; a gateway checks rows and root, and signs with the sum of its secrets. One sender in a
 * hundred gets no share of a batch, and one row in a thousand is of a gateway whose shares are false. A rate holds when its p99 of
 * finality, from the intended send time to the broker's outcome, is under 2 s and each row ended as success.
 *
 * Claims: tps, finality_p50_ms, finality_p99_ms; lost (rows that did not end as success); wrong_accounts (whose balance is not what the final
 * rows make it: a row that ran twice, or not, shows here), supply_difference; unproven (of sampled rows); row_us, processor time of a node for a row,
 * all threads; generator_ms, of this process per second.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createHistogram, readProcess, type TargetNetwork } from '@slipstream/app-loadgen';
import type { BrokerEvent } from '@slipstream/client/distillery';
import { DISTILLED_DEFAULTS } from '@slipstream/types';
import { print } from '../print.ts';
import { type BenchOptions, type Claim, claim, printTable } from './claim.ts';
import { onNetwork } from './load/network.ts';
import { auditBalances, type ChainAudit, countUnproven, readBalances } from './throughput-distilled/audit.ts';
import { type BenchGateway, openGateway } from './throughput-distilled/gateway.ts';
import { prepareRows, type RunRow } from './throughput-distilled/prepared-rows.ts';
import { type Registered, registerAll, untilAbove } from './throughput-distilled/registered.ts';

interface Effort {
  readonly accounts: number;
  readonly from: number;
  readonly ceiling: number;
  readonly stepSeconds: number;
  readonly seconds: number;
  /** Of rows, checked after the last run. */
  readonly proofs: number;
}

const FULL: Effort = { accounts: 8_000, from: 1_000, ceiling: 64_000, stepSeconds: 10, seconds: 60, proofs: 1_000 };
const SMOKE: Effort = { accounts: 60, from: 100, ceiling: 100, stepSeconds: 2, seconds: 4, proofs: 5 };
/** Each at another validator. */
const GATEWAYS = 4;
/** Of the accounts, which are of the gateway that lies. */
const LYING_SHARE = 0.001;
const WITHHELD_SHARE = 0.01;
const FINALITY_P99_MS = 2_000;
/** Below the knee. */
const SHARES = [0.9, 0.75, 0.6, 0.45, 0.3];
const SETTINGS: Readonly<Record<string, number>> = {
  'consensus.minBlockIntervalMs': 300,
  'consensus.leaderTimeoutMs': 1_000,
  'consensus.viewTimeoutMs': 2_000,
};
/** Before a row is due; a straggler signature of the SDK's process takes 40 us. */
const PREPARING_MS_PER_ROW = 0.08;
const TICK_MS = 10;
const DRAIN_MS = 30_000;
const KNOWN_AT_DEPTH = 16;

export async function run({ smoke }: BenchOptions): Promise<Claim[]> {
  const effort = smoke ? SMOKE : FULL;
  const shape = { validators: 4, fullNodes: 1, accounts: effort.accounts, distilled: DISTILLED_DEFAULTS };
  return onNetwork(shape, SETTINGS, async (network) => {
    const bench = await open(network, effort);
    try {
      const found = await findHighest(bench, effort, smoke);
      const unproven = await countUnproven(auditor(network), found.rows, effort.proofs);
      return [...claimsOf(found), claim('unproven', unproven, 'count', Math.min(effort.proofs, found.rows.length))];
    } finally {
      for (const gateway of bench.gateways) gateway.close();
    }
  });
}

interface Bench {
  readonly network: TargetNetwork;
  readonly accounts: readonly Registered[];
  /** Next of each account. */
  readonly sequences: Uint32Array;
  readonly gateways: readonly BenchGateway[];
  /** By place of an account. */
  readonly gatewayOf: (account: number) => BenchGateway;
}

async function open(network: TargetNetwork, effort: Effort): Promise<Bench> {
  const validators = network.nodes.filter(({ name }) => name.startsWith('validator'));
  const { client } = validators[0] as (typeof validators)[0];
  const accounts = await registerAll(client, effort.accounts);
  await untilAbove(client, (await client.status()).height + KNOWN_AT_DEPTH);
  const genesisHash = await client.genesisHash();
  const lying = Math.max(1, Math.round(LYING_SHARE * accounts.length));
  const groupOf = (place: number) => (place < lying ? GATEWAYS : place % GATEWAYS);
  const gateways: BenchGateway[] = [];
  for (let group = 0; group <= GATEWAYS; group++) {
    const gateway = await openGateway({
      urls: [validators[group % validators.length]?.client.url ?? ''],
      genesisHash,
      keys: accounts.filter((_, place) => groupOf(place) === group),
      withheldShare: WITHHELD_SHARE,
      isLying: group === GATEWAYS,
      unit: Math.random,
      onEvent: (event) => reportEvent(group, event),
    });
    gateways.push(gateway);
  }
  while (!gateways.every(({ isLive }) => isLive)) await sleep(TICK_MS);
  return {
    network,
    accounts,
    gateways,
    sequences: new Uint32Array(accounts.length).fill(1),
    gatewayOf: (place) => gateways[groupOf(place)] as BenchGateway,
  };
}

function reportEvent(group: number, event: BrokerEvent): void {
  if (event.type === 'lost') print(`  gateway ${group} lost its broker: ${event.code}: ${event.reason}`);
}

interface Found {
  readonly rows: readonly RunRow[];
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly lost: number;
  readonly audit: ChainAudit;
  readonly rowUs: number;
  readonly generatorMs: number;
}

async function findHighest(bench: Bench, effort: Effort, smoke: boolean): Promise<Found> {
  let knee = effort.from;
  for (let rate = effort.from; rate <= effort.ceiling; rate *= 2) {
    const step = await press(bench, rate, effort.stepSeconds);
    if (faultOf(step) !== undefined) break;
    knee = rate;
  }
  let found: Found | undefined;
  for (const share of smoke ? [1] : SHARES) {
    // The step that did not hold is below twice the knee.
    found = await press(bench, Math.round((smoke ? 1 : 2) * knee * share), effort.seconds);
    if (faultOf(found) === undefined) break;
  }
  if (found === undefined) throw new Error('no rate was tried');
  return found;
}

function faultOf({ p99Ms, lost }: Found): string | undefined {
  if (lost > 0) return `${lost} rows did not end as success`;
  return p99Ms > FINALITY_P99_MS ? `p99 ${p99Ms.toFixed(0)} ms` : undefined;
}

async function press(bench: Bench, rowsPerSecond: number, seconds: number): Promise<Found> {
  const { accounts, sequences, network } = bench;
  const client = auditor(network);
  print(`  ${rowsPerSecond} rows per second for ${seconds} s`);
  const genesisHash = await client.genesisHash();
  const before = await readBalances(client, accounts);
  const startMs = Date.now() + PREPARING_MS_PER_ROW * rowsPerSecond * seconds;
  const rows = prepareRows(accounts, sequences, genesisHash, { rowsPerSecond, seconds, startMs });
  const cpuBefore = await cpuSecondsOf(network);
  const ownBefore = process.cpuUsage();
  const sentMs = await sendWhenDue(bench, rows, Math.max(startMs, Date.now()));
  const own = process.cpuUsage(ownBefore);
  const cpu = (await cpuSecondsOf(network)) - cpuBefore;
  const audit = await auditAfter(bench, rows, before);
  const finality = createHistogram();
  for (const { end, endMs, dueMs } of rows) if (end === 'success') finality.add(endMs - sentMs - dueMs);
  const final = finality.count;
  const lastMs = rows.reduce((last, { end, endMs }) => (end === 'success' ? Math.max(last, endMs) : last), sentMs);
  const found = {
    rows,
    perSecond: (1_000 * final) / Math.max(1, lastMs - sentMs),
    p50Ms: finality.quantileMs(0.5),
    p99Ms: finality.quantileMs(0.99),
    lost: rows.length - final,
    audit,
    rowUs: (cpu * 1e6) / network.nodes.length / Math.max(1, final),
    generatorMs: (own.user + own.system) / 1_000 / Math.max(1, (lastMs - sentMs) / 1_000),
  };
  printEnds(rows);
  print(`    ${faultOf(found) ?? 'holds'}; p50 ${found.p50Ms.toFixed(0)} ms, p99 ${found.p99Ms.toFixed(0)} ms`);
  return found;
}

/** Returns when it began. Waits until the rows have ended, for some time. */
async function sendWhenDue({ gatewayOf, gateways }: Bench, rows: readonly RunRow[], startMs: number): Promise<number> {
  while (Date.now() < startMs) await sleep(TICK_MS);
  const beganMs = Date.now();
  for (let next = 0; next < rows.length; ) {
    const passedMs = Date.now() - beganMs;
    for (; next < rows.length && (rows[next] as RunRow).dueMs <= passedMs; next++) {
      const row = rows[next] as RunRow;
      gatewayOf(row.account).add(row.pending);
    }
    for (const gateway of gateways) gateway.flush();
    await sleep(TICK_MS);
  }
  const endMs = Date.now() + DRAIN_MS;
  while (Date.now() < endMs && gateways.some(({ pending }) => pending > 0)) await sleep(TICK_MS);
  return beganMs;
}

/** By the full node, once it has the last block. */
async function auditAfter({ network, accounts }: Bench, rows: readonly RunRow[], before: readonly bigint[]) {
  const heights = await Promise.all(network.nodes.map(async ({ client }) => (await client.status()).height));
  const highest = Math.max(...heights);
  for (const { client } of network.nodes) await untilAbove(client, highest);
  const client = auditor(network);
  return auditBalances(accounts, rows, before, await readBalances(client, accounts));
}

/** The full node: no broker here uses it. */
function auditor({ nodes }: TargetNetwork): TargetNetwork['nodes'][0]['client'] {
  return (nodes[0] as TargetNetwork['nodes'][0]).client;
}

async function cpuSecondsOf({ nodes }: TargetNetwork): Promise<number> {
  const used = await Promise.all(nodes.map(({ pid }) => (pid === undefined ? undefined : readProcess(pid))));
  return used.reduce((sum, each) => sum + (each?.cpuSeconds ?? 0), 0);
}

function printEnds(rows: readonly RunRow[]): void {
  const ends = Map.groupBy(rows, ({ end }) => end);
  const text = [...ends].map(([end, { length }]) => `${end} ${length}`).join(', ');
  print(`    ${text}`);
  const reasons = Map.groupBy(
    rows.filter(({ end }) => end !== 'success'),
    ({ pending }) => pending.lastReason ?? 'none',
  );
  if (reasons.size > 0) {
    printTable(
      'rows without success',
      ['last reason', 'rows'],
      [...reasons].map(([reason, { length }]) => [reason, length]),
    );
  }
}

function claimsOf({ rows, perSecond, p50Ms, p99Ms, lost, audit, rowUs, generatorMs }: Found): Claim[] {
  const final = rows.length - lost;
  return [
    claim('tps', perSecond, '1/s', final),
    claim('finality_p50_ms', p50Ms, 'ms', final),
    claim('finality_p99_ms', p99Ms, 'ms', final),
    claim('lost', lost, 'count', rows.length),
    claim('wrong_accounts', audit.wrongAccounts, 'count', rows.length),
    claim('supply_difference', Number(audit.supplyDifference), 'count', rows.length),
    claim('row_us', rowUs, 'us', final),
    claim('generator_ms', generatorMs, 'ms/s', final),
  ];
}
