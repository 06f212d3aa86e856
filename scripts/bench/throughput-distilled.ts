/**
 * The `throughput-distilled` bench: 4 validators, 1 full node and gateways on this machine, over the brokers' public streams.
 *
 *   register accounts --> rows and straggler signatures of a step, made before it --> send them when they are due --> outcomes, balances
 *   knee: steps of twice the rate, until one does not hold --> below it, held for a minute
 *
 * Windows, headers, roots, shares and batches are real; a gateway checks rows and root, and signs with the sum of its secrets. One share in a
 * hundred is withheld and one in a thousand is false, of accounts in turns (share-faults.ts); live clients have a socket and one account each.
 * A rate holds when its p99 of finality, from the intended send time to the broker's outcome, is under 2 s and each row ended as success.
 *
 * Claims: tps, finality_p50_ms, finality_p99_ms; live_p50_ms and live_p99_ms of live clients alone; lost (rows that did not end as success);
 * withheld_share and false_share as the brokers counted them, stragglers of all rows; wrong_accounts (whose balance at a node is not what
 * the final rows make it: a row that ran twice, or not, shows here), supply_difference; unproven (of sampled rows); row_us, processor time
 * of a node for a row, all threads; generator_ms, of this process per second.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createHistogram, readProcess, type TargetNetwork } from '@slipstream/app-loadgen';
import type { BrokerEvent } from '@slipstream/client/distillery';
import { DISTILLED_DEFAULTS } from '@slipstream/types';
import { print } from '../print.ts';
import { type BenchOptions, type Claim, claim, printTable } from './claim.ts';
import { onNetwork } from './load/network.ts';
import { auditNodes, type ChainAudit, countUnproven, readBalances } from './throughput-distilled/audit.ts';
import { type BrokerCounts, countsSince, readBrokerCounts } from './throughput-distilled/broker-counts.ts';
import { type BenchGateway, openGateway, type SessionKind } from './throughput-distilled/gateway.ts';
import { prepareRows, type RunRow } from './throughput-distilled/prepared-rows.ts';
import { type Registered, registerAll, untilAbove } from './throughput-distilled/registered.ts';
import { createShareFaults } from './throughput-distilled/share-faults.ts';

interface Effort {
  readonly accounts: number;
  readonly from: number;
  readonly ceiling: number;
  readonly stepSeconds: number;
  readonly seconds: number;
  /** Of rows, checked after the last run. */
  readonly proofs: number;
  readonly sessions: Readonly<Record<SessionKind, number>>;
}

const FULL: Effort = {
  sessions: { gateway: 4, faulty: 32, live: 32 },
  accounts: 16_000,
  from: 1_000,
  ceiling: 64_000,
  stepSeconds: 10,
  seconds: 60,
  proofs: 1_000,
};
const SMOKE: Effort = {
  sessions: { gateway: 4, faulty: 4, live: 4 },
  accounts: 60,
  from: 100,
  ceiling: 100,
  stepSeconds: 1,
  seconds: 2,
  proofs: 5,
};
/** Of the rows. */
const FAULTS = { withheld: 0.01, false: 0.001 };
/** One account in so many is of a faulty session. */
const FAULTY_EVERY = 4;
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
/** Rows have expired then, so that none runs in the next step. */
const DRAIN_MS = 70_000;
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
  readonly isLive: (account: number) => boolean;
}

async function open(network: TargetNetwork, effort: Effort): Promise<Bench> {
  const validators = network.nodes.filter(({ name }) => name.startsWith('validator'));
  const { client } = validators[0] as (typeof validators)[0];
  const accounts = await registerAll(client, effort.accounts);
  await untilAbove(client, (await client.status()).height + KNOWN_AT_DEPTH);
  const genesisHash = await client.genesisHash();
  const { sessions } = effort;
  const faults = createShareFaults(FAULTS, Date.now);
  const groups = Map.groupBy(accounts.entries(), ([place]) => sessionOf(place, sessions));
  const byPlace: BenchGateway[] = [];
  const gateways: BenchGateway[] = [];
  for (const [session, members] of groups) {
    const [kind, number] = session.split(' ');
    const gateway = await openGateway({
      urls: [validators[Number(number) % validators.length]?.client.url ?? ''],
      genesisHash,
      keys: members.map(([, keys]) => keys),
      kind: kind as SessionKind,
      faults,
      unit: Math.random,
      onEvent: (event) => reportEvent(session, event),
    });
    gateways.push(gateway);
    for (const [place] of members) byPlace[place] = gateway;
    // A broker takes few logins of an address at once.
    while (!gateway.isLive) await sleep(TICK_MS);
  }
  return {
    network,
    accounts,
    gateways,
    sequences: new Uint32Array(accounts.length).fill(1),
    gatewayOf: (place) => byPlace[place] as BenchGateway,
    isLive: (place) => place < sessions.live,
  };
}

/** A kind and a number. */
function sessionOf(place: number, { gateway, faulty, live }: Effort['sessions']): string {
  if (place < live) return `live ${place}`;
  const number = Math.floor(place / FAULTY_EVERY);
  return place % FAULTY_EVERY === 0 ? `faulty ${number % faulty}` : `gateway ${number % gateway}`;
}

function reportEvent(session: string, event: BrokerEvent): void {
  if (event.type === 'lost') print(`  ${session} lost its broker: ${event.code}: ${event.reason}`);
}

interface Found {
  readonly rows: readonly RunRow[];
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly lost: number;
  readonly live: ReturnType<typeof createHistogram>;
  readonly counts: BrokerCounts;
  readonly audit: ChainAudit | undefined;
  readonly rowUs: number;
  readonly generatorMs: number;
}

async function findHighest(bench: Bench, effort: Effort, smoke: boolean): Promise<Found> {
  let knee = effort.from;
  for (let rate = effort.from; rate <= effort.ceiling; rate *= 2) {
    const step = await press(bench, rate, effort.stepSeconds, undefined);
    if (faultOf(step) !== undefined) break;
    knee = rate;
  }
  let found: Found | undefined;
  for (const share of smoke ? [1] : SHARES) {
    // The step that did not hold is below twice the knee.
    const before = await readBalances(auditor(bench.network), bench.accounts);
    found = await press(bench, Math.round((smoke ? 1 : 2) * knee * share), effort.seconds, before);
    if (faultOf(found) === undefined) break;
  }
  if (found === undefined) throw new Error('no rate was tried');
  return found;
}

function faultOf({ p99Ms, lost }: Found): string | undefined {
  if (lost > 0) return `${lost} rows did not end as success`;
  return p99Ms > FINALITY_P99_MS ? `p99 ${p99Ms.toFixed(0)} ms` : undefined;
}

/** `before`: balances, where the run is audited. */
async function press(
  bench: Bench,
  rowsPerSecond: number,
  seconds: number,
  before: readonly bigint[] | undefined,
): Promise<Found> {
  const { accounts, sequences, network } = bench;
  const client = auditor(network);
  print(`  ${rowsPerSecond} rows per second for ${seconds} s`);
  const genesisHash = await client.genesisHash();
  const startMs = Date.now() + PREPARING_MS_PER_ROW * rowsPerSecond * seconds;
  const rows = prepareRows(accounts, sequences, genesisHash, { rowsPerSecond, seconds, startMs });
  const countsBefore = await readBrokerCounts(network);
  const cpuBefore = await cpuSecondsOf(network);
  const ownBefore = process.cpuUsage();
  const sentMs = await sendWhenDue(bench, rows, Math.max(startMs, Date.now()));
  const own = process.cpuUsage(ownBefore);
  const cpu = (await cpuSecondsOf(network)) - cpuBefore;
  const counts = countsSince(countsBefore, await readBrokerCounts(network));
  const audit = before && (await auditAfter(bench, rows, before));
  const finality = createHistogram();
  const live = createHistogram();
  for (const { end, endMs, dueMs, account } of rows) {
    if (end !== 'success') continue;
    finality.add(endMs - sentMs - dueMs);
    if (bench.isLive(account)) live.add(endMs - sentMs - dueMs);
  }
  const final = finality.count;
  const lastMs = rows.reduce((last, { end, endMs }) => (end === 'success' ? Math.max(last, endMs) : last), sentMs);
  const found = {
    rows,
    perSecond: (1_000 * final) / Math.max(1, lastMs - sentMs),
    p50Ms: finality.quantileMs(0.5),
    p99Ms: finality.quantileMs(0.99),
    lost: rows.length - final,
    live,
    counts,
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

/** By every node, once it has the last block. */
async function auditAfter({ network, accounts }: Bench, rows: readonly RunRow[], before: readonly bigint[]) {
  const heights = await Promise.all(network.nodes.map(async ({ client }) => (await client.status()).height));
  const highest = Math.max(...heights);
  for (const { client } of network.nodes) await untilAbove(client, highest);
  const clients = network.nodes.map(({ client }) => client);
  return auditNodes(clients, accounts, rows, before);
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

function claimsOf({ rows, perSecond, p50Ms, p99Ms, live, counts, lost, audit, rowUs, generatorMs }: Found): Claim[] {
  const final = rows.length - lost;
  const shares = Math.max(1, counts.good + counts.false + counts.missing);
  return [
    claim('tps', perSecond, '1/s', final),
    claim('finality_p50_ms', p50Ms, 'ms', final),
    claim('finality_p99_ms', p99Ms, 'ms', final),
    claim('live_p50_ms', live.quantileMs(0.5), 'ms', live.count),
    claim('live_p99_ms', live.quantileMs(0.99), 'ms', live.count),
    claim('lost', lost, 'count', rows.length),
    claim('withheld_share', counts.missing / shares, 'ratio', shares),
    claim('false_share', counts.false / shares, 'ratio', shares),
    claim('stragglers', counts.stragglers / Math.max(1, final), 'ratio', final),
    claim('wrong_accounts', audit?.wrongAccounts ?? 0, 'count', rows.length),
    claim('supply_difference', Number(audit?.supplyDifference ?? 0n), 'count', rows.length),
    claim('row_us', rowUs, 'us', final),
    claim('generator_ms', generatorMs, 'ms/s', final),
  ];
}
