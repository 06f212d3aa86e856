/**
 * The `sync` bench: a node with an empty folder joins a chain of a million accounts under load.
 *
 *   4 validators, load --> snapshots exist --> a full node starts: state taken over --> at the chain's tip
 *                                          \-> validator 3 loses its data, retains its history --> at the tip --> votes again
 *
 * Rejoined: it has committed another node's newest block. Votes again: it signed the certificate of a block above that tip.
 */
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startClusterLoad } from '@slipstream/app-loadgen';
import { pinnedNode, root } from '@slipstream/checkout';
import { type Cluster, type ClusterNode, createCluster, freePortRange, shareGenesisState } from '@slipstream/devnet';
import { DATA, HOME } from '@slipstream/node-home';
import { runCommand } from '../checks/run-command.ts';
import { print } from '../print.ts';
import { type BenchOptions, type Claim, claim, printTable } from './claim.ts';

interface Plan {
  readonly accounts: number;
  readonly transactionsPerSecond: number;
  readonly snapshotEvery: number;
  /** The chain's length when the first node joins. */
  readonly blocks: number;
  readonly joins: number;
}

const FULL: Plan = { accounts: 1_000_000, transactionsPerSecond: 200, snapshotEvery: 128, blocks: 300, joins: 3 };
const SMOKE: Plan = { accounts: 5_000, transactionsPerSecond: 20, snapshotEvery: 24, blocks: 40, joins: 1 };

const VALIDATORS = 4;
const JOINING = 'full-node-0';
const RETURNING = 3;
const WAIT_MS_MAX = 300_000;
const POLL_MS = 50;
const MIB = 1024 * 1024;

interface Join {
  readonly seconds: number;
  readonly fetchedBytes: number;
  readonly stateBytes: number;
}

export async function run({ smoke }: BenchOptions): Promise<Claim[]> {
  const plan = smoke ? SMOKE : FULL;
  const folder = await mkdtemp(join(tmpdir(), 'slipstream-sync-'));
  const count = VALIDATORS + 1;
  const basePort = await freePortRange(2 * count);
  const cluster = await createCluster({
    folder,
    validators: VALIDATORS,
    fullNodes: 1,
    basePort,
    apiPort: basePort + count,
    generatedAccounts: plan.accounts,
    flags: ['--sync-distance', '20', '--sync-snapshot-every', String(plan.snapshotEvery)],
  });
  const validators = cluster.nodes.filter(({ name }) => name !== JOINING);
  try {
    await shareGenesisState(validators.map(({ home }) => home));
    await cluster.start(validators.map(({ name }) => name));
    const load = await startClusterLoad({ ...cluster, nodes: validators }, plan);
    await until('the chain has its length', async () => (await heightOf(validators[0])) >= plan.blocks);
    const joins: Join[] = [];
    for (let round = 0; round < plan.joins; round++) joins.push(await joinOnce(cluster, validators[0]));
    const votingSeconds = await returnOnce(validators);
    await load.finish();
    return report(joins, votingSeconds, plan);
  } finally {
    await cluster.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Until a validator with only its signing history is in a certificate again. */
async function returnOnce(validators: readonly ClusterNode[]): Promise<number> {
  const [source, returning] = [validators[0] as ClusterNode, validators[RETURNING] as ClusterNode];
  await returning.process.stop();
  const history = join(returning.home, 'history.json');
  await slipstream('keys', 'export-history', '--home', returning.home, '--out', history);
  await rm(join(returning.home, HOME.data), { recursive: true });
  await slipstream('keys', 'import-history', history, '--home', returning.home);
  const started = performance.now();
  returning.process.start();
  await until('the validator is at the tip', async () => {
    const own = await returning.client.status().catch(() => undefined);
    return own?.ready === true && own.height >= (await heightOf(source));
  });
  const rejoinedAt = await heightOf(returning);
  await until('the validator votes', async () => {
    const height = await heightOf(source);
    if (height <= rejoinedAt) return false;
    const { finalization, state } = await source.client.certificates(height);
    return [finalization, state].some((each) => each?.signers.includes(RETURNING) ?? false);
  });
  return (performance.now() - started) / 1000;
}

async function slipstream(...words: readonly string[]): Promise<void> {
  const { code, output } = await runCommand(pinnedNode(root) ?? 'node', [
    join(root, 'apps/node/bin/main.mjs'),
    ...words,
  ]);
  if (code !== 0) throw new Error(`slipstream ${words.join(' ')} failed:\n${output}`);
}

async function joinOnce(cluster: Cluster, source: ClusterNode | undefined): Promise<Join> {
  const joining = cluster.node(JOINING);
  await joining.process.stop();
  await rm(join(joining.home, HOME.data), { recursive: true, force: true });
  const logStart = (await readFile(joining.process.logFile, 'utf8').catch(() => '')).length;
  const started = performance.now();
  joining.process.start();
  await until('the joining node is at the tip', async () => {
    const theirs = await heightOf(source);
    const own = await joining.client.status().catch(() => undefined);
    return own?.ready === true && own.height >= theirs;
  });
  const seconds = (performance.now() - started) / 1000;
  const log = (await readFile(joining.process.logFile, 'utf8')).slice(logStart);
  const done = log.split('\n').find((line) => line.includes('state sync: at height'));
  if (done === undefined) throw new Error('the node came to the tip without taking over the state');
  const { fetchedBytes } = JSON.parse(done) as { readonly fetchedBytes: number };
  return { seconds, fetchedBytes, stateBytes: await sizeOf(join(joining.home, HOME.data, DATA.state)) };
}

function report(joins: readonly Join[], votingSeconds: number, plan: Plan): Claim[] {
  printTable(
    `a full node joins: ${plan.accounts} accounts, ${plan.transactionsPerSecond} transactions per second`,
    ['join', 'seconds', 'MiB fetched', 'MiB of state'],
    joins.map(({ seconds, fetchedBytes, stateBytes }, at) => [at + 1, seconds, fetchedBytes / MIB, stateBytes / MIB]),
  );
  print(`a validator without its data votes again after ${votingSeconds.toFixed(1)} s`);
  const slowest = Math.max(...joins.map(({ seconds }) => seconds));
  const ratios = joins.map(({ fetchedBytes, stateBytes }) => fetchedBytes / stateBytes);
  return [
    claim('rejoin_seconds', slowest, 's, slowest', joins.length),
    claim('voting_again_seconds', votingSeconds, 's', 1),
    claim('bytes_fetched_over_state', Math.max(...ratios), 'ratio', joins.length),
  ];
}

async function heightOf(node: ClusterNode | undefined): Promise<number> {
  const status = await node?.client.status();
  if (status === undefined) throw new Error('there is no node to ask');
  return status.height;
}

async function sizeOf(folder: string): Promise<number> {
  const sizes = await Promise.all((await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + WAIT_MS_MAX;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`not within ${WAIT_MS_MAX / 1000} s: ${what}`);
    await sleep(POLL_MS);
  }
}
