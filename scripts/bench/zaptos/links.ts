/**
 * Real processes with the delays of ten regions: ten validators and a full node beside the first, on this machine.
 *
 *   client --submit--> full node ... --> committed at the full node          (or a validator instead of the full node)
 *
 * Eleven nodes share the machine's cores, so blocks are spaced out and validators have a lower priority: at low load delays are the limit;
 * at saturation the machine is, in both modes. All times are by one wall clock.
 */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { availableParallelism, cpus, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createSignerPool,
  type PreparedChain,
  prepareChain,
  type SignedTransfer,
  type SignerPool,
  signRun,
  sourceOf,
} from '@slipstream/app-loadgen';
import type { EventStream } from '@slipstream/client';
import { type Cluster, type ClusterNode, createCluster, freePortRange, REGIONS } from '@slipstream/devnet';
import { flagName } from '@slipstream/node-home';
import type { PipelineMode } from '@slipstream/pipeline';
import type { BlockView, StageTimes } from '@slipstream/schema';
import { print } from '../../print.ts';
import { idsAt, type SentTransfers, sendAll } from './client.ts';
import { partsOf } from './latency-parts.ts';

export interface LinksEffort {
  readonly validators: number;
  readonly warmUpSeconds: number;
  readonly warmUpTps: number;
  readonly lowTps: number;
  readonly lowSeconds: number;
  /** Above the low one, up to saturation. */
  readonly loads: readonly number[];
  readonly seconds: number;
  /** One after another, on one chain: its leaders follow each other in the same order in all. */
  readonly turns: readonly Turn[];
}

export interface Turn {
  readonly mode: PipelineMode;
  /** `all`: the low load at the full node and at the validator, then the others. */
  readonly loads: 'all' | 'low';
}

/** Where the client submits and waits. */
export type At = 'full node' | 'validator';

export interface LoadResult {
  readonly mode: PipelineMode;
  /** Its place among all turns. */
  readonly turn: number;
  readonly at: At;
  /** Due per second. */
  readonly offered: number;
  readonly latenciesMs: readonly number[];
  /** One a transaction, in the order of PARTS. */
  readonly parts: readonly (readonly number[])[];
  /** Committed per second while sending. */
  readonly tps: number;
  readonly refused: number;
  readonly sent: number;
  readonly blocks: readonly TimedBlock[];
  readonly busyShare: number;
  /** Mean time between blocks. */
  readonly blockIntervalMs: number;
}

export interface TimedBlock {
  readonly leader: number;
  /** By the leader's clock. */
  readonly madeMs: number;
  /** Latencies of the client's transactions in it. */
  readonly latenciesMs: readonly number[];
  /** At the client's node. */
  readonly committedMs: number;
  readonly fullNode: Required<StageTimes>;
  readonly validator: Required<StageTimes>;
}

export const BLOCK_INTERVAL_MS = 500;
const SEED = 'zaptos';
const ACCOUNTS = 1_000;
/** At the start of each load: its first transactions do not meet those before them. */
const RAMP_SHARE = 0.2;
const DRAIN_MS_MAX = 20_000;
const POLL_MS = 200;

/** In the order of the turns. */
export async function measureLinks(effort: LinksEffort): Promise<LoadResult[]> {
  const folder = await mkdtemp(join(tmpdir(), 'slipstream-zaptos-'));
  const results: LoadResult[] = [];
  let planned = 0;
  try {
    for (const [number, turn] of effort.turns.entries()) {
      const network = { mode: turn.mode, turn: number, folder, planned };
      planned = await onCluster(network, effort, (running) => measureTurn(running, turn, effort, results));
    }
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
  return results;
}

async function measureTurn(network: Network, turn: Turn, effort: LinksEffort, results: LoadResult[]): Promise<void> {
  const { warmUpTps, warmUpSeconds, lowTps, lowSeconds, loads, seconds } = effort;
  await measureLoad(network, { at: 'full node', offered: warmUpTps, seconds: warmUpSeconds });
  results.push(await measureLoad(network, { at: 'full node', offered: lowTps, seconds: lowSeconds }));
  if (turn.loads === 'low') return;
  results.push(await measureLoad(network, { at: 'validator', offered: lowTps, seconds: lowSeconds }));
  for (const offered of loads) results.push(await measureLoad(network, { at: 'full node', offered, seconds }));
}

interface ClusterPlan {
  readonly mode: PipelineMode;
  readonly turn: number;
  /** With the chain of the turns before. */
  readonly folder: string;
  /** Blocks of the load's plan that are used up. */
  readonly planned: number;
}

interface Network {
  readonly mode: PipelineMode;
  readonly turn: number;
  readonly fullNode: ClusterNode;
  /** In the full node's region. */
  readonly validator: ClusterNode;
  readonly chain: PreparedChain;
  readonly pool: SignerPool;
  /** When a quorum had stored a chunk, by the validator's clock; by chunk. */
  readonly certifiedMs: Map<string, number>;
  /** Blocks of the load's plan that are used up. */
  planned: number;
}

/** Blocks of the load's plan that are used up afterwards. */
async function onCluster(
  { mode, turn, folder, planned }: ClusterPlan,
  { validators }: LinksEffort,
  use: (network: Network) => Promise<void>,
): Promise<number> {
  const count = validators + 1;
  const basePort = await freePortRange(2 * count);
  const interval = (['consensus.minBlockIntervalMs', 'consensus.idleBlockIntervalMs'] as const).flatMap((key) => [
    `--${flagName(key)}`,
    String(BLOCK_INTERVAL_MS),
  ]);
  const cluster = await createCluster({
    folder,
    validators,
    basePort,
    fullNodes: 1,
    apiPort: basePort + count,
    regions: REGIONS,
    generatedAccounts: ACCOUNTS,
    flags: ['--log-level', 'warn', '--consensus-preset', 'wan', '--pipeline-mode', mode, ...interval],
  });
  let pool: SignerPool | undefined;
  let stream: EventStream | undefined;
  try {
    await cluster.start();
    for (const { validator, process } of cluster.nodes) if (validator !== undefined) await lowerPriority(process);
    const fullNode = cluster.nodes.find(({ validator }) => validator === undefined) as ClusterNode;
    const validator = cluster.nodes.find((each) => each.validator === 0) as ClusterNode;
    const handle = { name: fullNode.name, client: fullNode.client, running: true, restarts: 0 };
    const chain = await prepareChain([handle], { seed: SEED, accounts: ACCOUNTS, transactionBytes: 0 });
    pool = createSignerPool(chain.task, 1);
    const certifiedMs = new Map<string, number>();
    stream = validator.client.events({
      topics: ['dissemination'],
      onEvent: ({ event }) => {
        if (event.type === 'chunk.certified') certifiedMs.set(event.data.chunkId, Date.now());
      },
    });
    const network = { mode, turn, fullNode, validator, chain, pool, certifiedMs, planned };
    await use(network);
    return network.planned;
  } finally {
    stream?.close();
    await pool?.close();
    await cluster.stop();
  }
}

/** Niceness: the full node's threads get three times a validator's share. */
const VALIDATOR_PRIORITY = 5;

async function lowerPriority({ pid }: Cluster['nodes'][number]['process']): Promise<void> {
  if (pid === undefined) return;
  const threads = await readdir(`/proc/${pid}/task`).catch(() => [String(pid)]);
  for (const thread of threads) setPriority(Number(thread), VALIDATOR_PRIORITY);
}

interface Load {
  readonly at: At;
  readonly offered: number;
  readonly seconds: number;
}

async function measureLoad(network: Network, { at, offered, seconds }: Load): Promise<LoadResult> {
  const { mode, turn } = network;
  const transfers = await signedFor(network, offered, seconds);
  const node = at === 'full node' ? network.fullNode : network.validator;
  const fromHeight = (await node.client.status()).height;
  const busyFrom = busy();
  const sent = await sendAll({ client: node.client, transfers, transactionsPerSecond: offered });
  const busyTo = busy();
  const found = await findBlocks(network, node, sent, fromHeight);
  const result = {
    mode,
    turn,
    at,
    offered,
    refused: sent.refused,
    sent: transfers.length,
    ...resultOf(found, sent, seconds),
    busyShare: (busyTo.used - busyFrom.used) / (busyTo.total - busyFrom.total),
  };
  print(
    `  ${mode}, ${offered} per second at the ${at}: ${result.tps.toFixed(0)} committed per second, ` +
      `${result.refused} refused, machine ${(100 * result.busyShare).toFixed(0)} % busy`,
  );
  return result;
}

async function signedFor(network: Network, offered: number, seconds: number): Promise<readonly SignedTransfer[]> {
  const { chain, pool } = network;
  const batches = await signRun(
    { chain, pool, wallMs: Date.now, say: () => {} },
    { transactionsPerSecond: offered, seconds, firstBlock: network.planned },
  );
  network.planned += batches.length;
  return sourceOf(batches).take(Math.ceil(offered * seconds)) ?? [];
}

interface Found extends Omit<TimedBlock, 'latenciesMs'> {
  readonly height: number;
  readonly ids: readonly string[];
  /** Mean over its chunks; a chunk that was not certified before its proposal counts with the proposal. */
  readonly certifiedMs: number;
  readonly committedMs: number;
}

/** Reads blocks until each accepted transaction is found, or for so long. */
async function findBlocks(
  { fullNode, validator, certifiedMs }: Network,
  node: ClusterNode,
  { dueMs }: SentTransfers,
  fromHeight: number,
): Promise<readonly Found[]> {
  const deadlineMs = performance.now() + DRAIN_MS_MAX;
  const blocks: Found[] = [];
  let open = dueMs.size;
  let height = fromHeight;
  while (open > 0 && performance.now() < deadlineMs) {
    const statuses = await Promise.all([fullNode, validator].map(({ client }) => client.status()));
    const upTo = Math.min(...statuses.map((status) => status.height));
    if (upTo === height) await sleep(POLL_MS);
    for (; height < upTo; height++) {
      const [own, theirs, ids] = await Promise.all([
        fullNode.client.block(height + 1),
        validator.client.block(height + 1),
        idsAt(node.client, height + 1),
      ]);
      open -= ids.filter((id) => dueMs.has(id)).length;
      const [ownTimes, theirTimes] = [timesOf(own), timesOf(theirs)];
      if (ownTimes === undefined || theirTimes === undefined) continue;
      const madeMs = own.block.timestampMs;
      const certified = own.block.payload.map(({ chunkId }) => Math.min(certifiedMs.get(chunkId) ?? madeMs, madeMs));
      blocks.push({
        height: height + 1,
        ids,
        madeMs,
        leader: own.block.proposer,
        fullNode: ownTimes,
        validator: theirTimes,
        certifiedMs: certified.length === 0 ? madeMs : certified.reduce((sum, ms) => sum + ms, 0) / certified.length,
        committedMs: (node === fullNode ? ownTimes : theirTimes).committedMs,
      });
    }
  }
  return blocks;
}

function timesOf({ times }: BlockView): Required<StageTimes> | undefined {
  return times?.committedMs === undefined || times.finalizedMs === undefined
    ? undefined
    : (times as Required<StageTimes>);
}

function resultOf(
  found: readonly Found[],
  { dueMs, fromMs, toMs }: SentTransfers,
  seconds: number,
): Pick<LoadResult, 'latenciesMs' | 'parts' | 'tps' | 'blocks' | 'blockIntervalMs'> {
  const steadyMs = fromMs + RAMP_SHARE * seconds * 1_000;
  const blocks: TimedBlock[] = [];
  const parts: number[][] = [];
  let committed = 0;
  for (const block of found) {
    const due = block.ids.flatMap((id) => dueMs.get(id) ?? []);
    if (block.committedMs >= steadyMs && block.committedMs < toMs) committed += due.length;
    const counted = due.filter((ms) => ms >= steadyMs);
    const latenciesMs = counted.map((ms) => block.committedMs - ms);
    blocks.push({ ...block, latenciesMs });
    const { finalizedMs, executedMs, certifiedMs, committedMs } = block.validator;
    const ends = [
      block.certifiedMs,
      block.madeMs,
      finalizedMs,
      executedMs,
      certifiedMs,
      committedMs,
      block.committedMs,
    ];
    for (const ms of counted) parts.push(partsOf(ms, ends));
  }
  return {
    latenciesMs: blocks.flatMap((block) => block.latenciesMs),
    parts,
    tps: (committed * 1_000) / (toMs - steadyMs),
    blocks: blocks.filter(({ latenciesMs }) => latenciesMs.length > 0),
    blockIntervalMs: ((found.at(-1)?.madeMs ?? 0) - (found[0]?.madeMs ?? 0)) / Math.max(1, found.length - 1),
  };
}

/** Of all cores since the machine's start, ms. */
function busy(): { readonly used: number; readonly total: number } {
  let [used, total] = [0, 0];
  for (const { times } of cpus()) {
    const all = times.user + times.nice + times.sys + times.irq + times.idle;
    total += all;
    used += all - times.idle;
  }
  return { used, total };
}

export const CORES = availableParallelism();
