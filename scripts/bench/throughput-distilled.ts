/**
 * The `throughput-distilled` bench: 4 validators, 1 full node and gateways on this machine, over the brokers' public streams.
 *
 *   register accounts --> rows and straggler signatures of a step, made before it --> send them when they are due --> outcomes, balances
 *   warm --> knee: steps of twice the rate, until one does not hold twice --> below it, held for a minute
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
import type { TargetNetwork } from '@slipstream/app-loadgen';
import type { BrokerEvent } from '@slipstream/client/distillery';
import { DISTILLED_DEFAULTS } from '@slipstream/types';
import { print } from '../print.ts';
import { type BenchOptions, type Claim, claim } from './claim.ts';
import { onNetwork } from './load/network.ts';
import { countUnproven, readBalances } from './throughput-distilled/audit.ts';
import { type BenchGateway, openGateway, type SessionKind } from './throughput-distilled/gateway.ts';
import { auditor, type Bench, type Found, faultOf, press, VALIDATORS } from './throughput-distilled/press.ts';
import { registerAll, untilAbove } from './throughput-distilled/registered.ts';
import { createShareFaults } from './throughput-distilled/share-faults.ts';

interface Effort {
  readonly accounts: number;
  readonly from: number;
  readonly ceiling: number;
  /** At the first rate; V8 compiles for about a minute, and a cold node answers shares late. */
  readonly warmSeconds: number;
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
  warmSeconds: 40,
  stepSeconds: 10,
  seconds: 60,
  proofs: 1_000,
};
const SMOKE: Effort = {
  sessions: { gateway: 4, faulty: 4, live: 4 },
  accounts: 60,
  from: 100,
  ceiling: 100,
  warmSeconds: 0,
  stepSeconds: 1,
  seconds: 2,
  proofs: 5,
};
/** Of the rows. */
const FAULTS = { withheld: 0.01, false: 0.001 };
/** One account in so many is of a faulty session. */
const FAULTY_EVERY = 4;
/** Below the knee. */
const SHARES = [0.9, 0.75, 0.65, 0.55, 0.45, 0.3];
const SETTINGS: Readonly<Record<string, number>> = {
  'consensus.minBlockIntervalMs': 300,
  'consensus.leaderTimeoutMs': 1_000,
  'consensus.viewTimeoutMs': 2_000,
};
const TICK_MS = 10;
const KNOWN_AT_DEPTH = 16;

export async function run({ smoke }: BenchOptions): Promise<Claim[]> {
  const effort = smoke ? SMOKE : FULL;
  const shape = { validators: VALIDATORS, fullNodes: 1, accounts: effort.accounts, distilled: DISTILLED_DEFAULTS };
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

async function findHighest(bench: Bench, effort: Effort, smoke: boolean): Promise<Found> {
  if (effort.warmSeconds > 0) await press(bench, effort.from, effort.warmSeconds, undefined);
  const step = (rate: number) => press(bench, rate, effort.stepSeconds, undefined);
  let knee = effort.from;
  for (let rate = effort.from; rate <= effort.ceiling; rate *= 2) {
    if (faultOf(await step(rate)) !== undefined) {
      await step(knee);
      if (faultOf(await step(rate)) !== undefined) break;
    }
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

function claimsOf({ rows, perSecond, p50Ms, p99Ms, live, counts, lost, audit, costs }: Found): Claim[] {
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
    claim('row_us', costs.rowUs, 'us', final),
    ...costs.threads.map(({ thread, rowUs }) => claim(`row_us_${nameOf(thread)}`, rowUs, 'us', final)),
    claim('blocks_per_second', costs.blocksPerSecond, '1/s', final),
    claim('generator_ms', costs.generatorMs, 'ms/s', final),
  ];
}

/** In a claim's name. */
function nameOf(thread: string): string {
  return thread.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_');
}
