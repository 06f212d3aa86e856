/**
 * The committee of a devnet changes under load until none of its first keys is left:
 *
 *   four validators, a full node --> load --> proof of epoch 0 --> steps, one an epoch --> proof of the last epoch --> audit
 *
 * Both proofs are verified with the first genesis file.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ChainAudit, type ClusterLoad, startClusterLoad, type TransactionCounts } from '@slipstream/app-loadgen';
import { consoleFolder } from '@slipstream/checkout';
import { type Cluster, type ClusterNode, createCluster, eventually, startGateway } from '@slipstream/devnet';
import type { EpochRecordJson } from '@slipstream/schema';
import { type BoundaryReport, readBoundary, type Views, viewsElsewhere } from '../devnet/boundary.ts';
import { type Spread, sampleFinality } from './finality.ts';
import { openShell, type Shell } from './operators.ts';
import { stepsOf } from './steps.ts';

export interface DemonstrationOptions {
  readonly folder: string;
  /** Five ports from each. */
  readonly basePort: number;
  readonly apiPort: number;
  readonly transactionsPerSecond: number;
  readonly signal: AbortSignal;
  say(text: string): void;
}

export interface StepReport {
  readonly what: string;
  readonly epoch: number;
  readonly tookMs: number;
  readonly boundary: BoundaryReport;
}

export interface DemonstrationReport {
  readonly steps: readonly StepReport[];
  readonly transactions: TransactionCounts;
  readonly audit: ChainAudit;
  readonly finality: { readonly at: Spread; readonly elsewhere: Spread };
  readonly views: Views;
  /** BLS and network keys of genesis in the last record. */
  readonly firstKeysLeft: readonly string[];
  /** Verified with the first genesis file. */
  readonly proofs: readonly { readonly epoch: number; readonly height: number }[];
}

const VALIDATORS = 4;
const BLOCKS_MS_MAX = 60_000;
const FIRST_FINAL = 20;

export async function playDemonstration(options: DemonstrationOptions): Promise<DemonstrationReport> {
  const { folder, basePort, apiPort, say } = options;
  const cluster = await createCluster({ folder, validators: VALIDATORS, fullNodes: 1, basePort, apiPort });
  try {
    say(`Starting ${cluster.nodes.length} nodes in ${folder} ...`);
    await cluster.start();
    const gateway = await startGateway(cluster, { port: 0, consoleFolder: consoleFolder() });
    say(`The console shows each step: ${gateway.url}/#/committee`);
    try {
      return await underLoad(cluster, options);
    } finally {
      await gateway.stop();
    }
  } finally {
    await cluster.stop();
  }
}

async function underLoad(cluster: Cluster, options: DemonstrationOptions): Promise<DemonstrationReport> {
  const { transactionsPerSecond, say, signal } = options;
  const shell = openShell(cluster, say, signal);
  const reader = cluster.node('validator-0');
  const genesis = await reader.client.epoch(0);
  const load = await startClusterLoad(cluster, { transactionsPerSecond, keepFates: true });
  const samples = sampleFinality(load);
  say(`Sending ${transactionsPerSecond} transfers per second.`);
  await moreFinal(load);
  const fromHeight = (await reader.client.status()).height;
  const before = await saveProof(cluster, reader, load, 'before.json');
  const steps = await playSteps(cluster, shell, options);
  await moreFinal(load);
  const after = await saveProof(cluster, reader, load, 'after.json');
  const boundaries = steps.map(({ boundary }) => boundary);
  const views = await viewsElsewhere(reader.client, fromHeight, boundaries);
  samples.stop();
  await load.finish();
  const audit = await load.audit();
  for (const { file } of [before, after]) {
    await shell.slipstream('tx', 'verify-proof', file, '--genesis', 'genesis.json');
  }
  return {
    steps,
    transactions: load.sent.counts(),
    audit,
    finality: samples.around(boundaries),
    views,
    firstKeysLeft: commonKeys(genesis, await reader.client.epoch('current')),
    proofs: [before, after].map(({ epoch, height }) => ({ epoch, height })),
  };
}

async function playSteps(
  cluster: Cluster,
  shell: Shell,
  { say, signal }: DemonstrationOptions,
): Promise<readonly StepReport[]> {
  const reports: StepReport[] = [];
  for (const [at, { what, guide, play }] of stepsOf(cluster, shell).entries()) {
    signal.throwIfAborted();
    const epoch = at + 1;
    const startMs = performance.now();
    say(`epoch ${epoch}: ${what} (${guide})`);
    await play(epoch);
    const boundary = await boundaryOf(cluster.node('validator-0'), epoch);
    const report = { what, epoch, tookMs: Math.round(performance.now() - startMs), boundary };
    say(`  ${boundary.viewsLost} views lost, ${boundary.gapMs} ms between the blocks of both epochs`);
    reports.push(report);
  }
  return reports;
}

function boundaryOf({ client }: ClusterNode, epoch: number): Promise<BoundaryReport> {
  return eventually(`blocks of epoch ${epoch}`, BLOCKS_MS_MAX, async () => {
    const { current } = await client.epochs({ limit: 1 });
    if (current.epoch !== epoch) throw new Error(`it is in epoch ${current.epoch}`);
    return await readBoundary(client, current.firstHeight);
  });
}

async function moreFinal({ sent }: ClusterLoad): Promise<void> {
  const wanted = sent.counts().final + FIRST_FINAL;
  await eventually('transfers become final', BLOCKS_MS_MAX, async () => sent.counts().final >= wanted || undefined);
}

/** Of the newest final transfer, with all handovers since genesis. */
async function saveProof({ folder }: Cluster, { client }: ClusterNode, { sent }: ClusterLoad, file: string) {
  const { epoch } = await client.status();
  const proof = await eventually('a proof', BLOCKS_MS_MAX, () =>
    client.proof(sent.finalIds().at(-1) ?? '', { epochsFrom: 0 }),
  );
  await writeFile(join(folder, file), JSON.stringify(proof));
  return { file, epoch, height: proof.receipt.height };
}

function commonKeys(first: EpochRecordJson, last: EpochRecordJson): readonly string[] {
  const keysOf = ({ members }: EpochRecordJson) => members.flatMap(({ blsPublicKey, peer }) => [blsPublicKey, peer]);
  const now = new Set(keysOf(last));
  return keysOf(first).filter((key) => now.has(key));
}
