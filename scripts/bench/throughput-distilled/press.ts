/**
 * One rate of the `throughput-distilled` bench, held for some seconds.
 *
 *   rows, made before --> sent when they are due --> outcomes --> what the brokers counted, processor time by thread, balances
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createHistogram, type TargetNetwork } from '@slipstream/app-loadgen';
import { print } from '../../print.ts';
import { printTable } from '../claim.ts';
import { readUse, useBetween } from '../costs/use.ts';
import { auditNodes, type ChainAudit } from './audit.ts';
import { type BrokerCounts, countsSince, readBrokerCounts } from './broker-counts.ts';
import type { BenchGateway } from './gateway.ts';
import { type Registered, untilAbove } from './registered.ts';
import { printRowCosts, type RowCosts, rowCostsOf } from './row-costs.ts';
import { accountOf, dueMsOf, endOf, ROW_ENDS, type RunRows, successes } from './run-rows.ts';
import { signedRows } from './sign-rows.ts';

const FINALITY_P99_MS = 2_000;
const TICK_MS = 10;
/** Rows have expired then, so that none runs in the next step. */
const DRAIN_MS = 70_000;

export interface Bench {
  readonly network: TargetNetwork;
  readonly accounts: readonly Registered[];
  /** Next of each account. */
  readonly sequences: Uint32Array;
  readonly gateways: readonly BenchGateway[];
  /** By place of an account. */
  readonly gatewayOf: (account: number) => BenchGateway;
  readonly isLive: (account: number) => boolean;
}

export interface Found {
  readonly rows: RunRows;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly lost: number;
  readonly live: ReturnType<typeof createHistogram>;
  readonly counts: BrokerCounts;
  readonly audit: ChainAudit | undefined;
  readonly costs: RowCosts;
}

export function faultOf({ p99Ms, lost }: Found): string | undefined {
  if (lost > 0) return `${lost} rows did not end as success`;
  return p99Ms > FINALITY_P99_MS ? `p99 ${p99Ms.toFixed(0)} ms` : undefined;
}

/** `before`: balances, where the run is audited. */
export async function press(
  bench: Bench,
  rowsPerSecond: number,
  seconds: number,
  before: readonly bigint[] | undefined,
): Promise<Found> {
  const { accounts, sequences, network } = bench;
  const client = auditor(network);
  print(`  ${rowsPerSecond} rows per second for ${seconds} s`);
  const genesisHash = await client.genesisHash();
  const rows = await signedRows(accounts, sequences, genesisHash, { rowsPerSecond, seconds });
  for (const gateway of bench.gateways) gateway.begin(rows);
  const countsBefore = await readBrokerCounts(network);
  const useBefore = await readUse(network.nodes, 'begin');
  const sentMs = await sendWhenDue(bench, rows);
  const useAfter = await readUse(network.nodes, 'end');
  const counts = countsSince(countsBefore, await readBrokerCounts(network));
  const audit = before && (await auditAfter(bench, rows, before));
  const finality = createHistogram();
  const live = createHistogram();
  let lastMs = sentMs;
  for (const number of successes(rows)) {
    const endMs = rows.endsMs[number] as number;
    const tookMs = endMs - sentMs - dueMsOf(rows, number);
    lastMs = Math.max(lastMs, endMs);
    finality.add(tookMs);
    if (bench.isLive(accountOf(rows, number))) live.add(tookMs);
  }
  const final = finality.count;
  const found = {
    rows,
    perSecond: (1_000 * final) / Math.max(1, lastMs - sentMs),
    p50Ms: finality.quantileMs(0.5),
    p99Ms: finality.quantileMs(0.99),
    lost: rows.count - final,
    live,
    counts,
    audit,
    costs: rowCostsOf(useBetween(useBefore, useAfter), (1_000 * final) / (useAfter.atMs - useBefore.atMs)),
  };
  printEnds(rows);
  printRowCosts(found.costs);
  print(`    ${faultOf(found) ?? 'holds'}; p50 ${found.p50Ms.toFixed(0)} ms, p99 ${found.p99Ms.toFixed(0)} ms`);
  return found;
}

/** Returns when it began. Waits until the rows have ended, for some time. */
async function sendWhenDue({ gatewayOf, gateways }: Bench, rows: RunRows): Promise<number> {
  while (Date.now() < rows.startMs) await sleep(TICK_MS);
  const beganMs = Date.now();
  for (let next = 0; next < rows.count; ) {
    const passedMs = Date.now() - beganMs;
    for (; next < rows.count && dueMsOf(rows, next) <= passedMs; next++) gatewayOf(accountOf(rows, next)).add(next);
    await sleep(TICK_MS);
  }
  const endMs = Date.now() + DRAIN_MS;
  while (Date.now() < endMs && gateways.some(({ pending }) => pending > 0)) await sleep(TICK_MS);
  return beganMs;
}

/** By every node, once it has the last block. */
async function auditAfter({ network, accounts }: Bench, rows: RunRows, before: readonly bigint[]) {
  const heights = await Promise.all(network.nodes.map(async ({ client }) => (await client.status()).height));
  const highest = Math.max(...heights);
  for (const { client } of network.nodes) await untilAbove(client, highest);
  const clients = network.nodes.map(({ client }) => client);
  return auditNodes(clients, accounts, rows, before);
}

/** The full node: no broker here uses it. */
export function auditor({ nodes }: TargetNetwork): TargetNetwork['nodes'][0]['client'] {
  return (nodes[0] as TargetNetwork['nodes'][0]).client;
}

function printEnds(rows: RunRows): void {
  const counts = ROW_ENDS.map(() => 0);
  for (const end of rows.ends) counts[end] = (counts[end] as number) + 1;
  const text = ROW_ENDS.flatMap((end, code) => (counts[code] === 0 ? [] : [`${end} ${counts[code]}`])).join(', ');
  print(`    ${text}`);
  const without = [...rows.reasons].filter(([number]) => endOf(rows, number) !== 'success');
  const reasons = Map.groupBy(without, ([, reason]) => reason);
  if (reasons.size > 0) {
    printTable(
      'rows without success',
      ['last reason', 'rows'],
      [...reasons].map(([reason, { length }]) => [reason, length]),
    );
  }
}
