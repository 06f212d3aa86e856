/** A steady load on a network of this machine, through all nodes, signed as it is sent. Each transaction is followed to its end. */

import { type Cluster, type Watch, watchCluster } from '@slipstream/devnet';
import { auditChain, type ChainAudit } from '../fate/chain-audit.ts';
import { type Load as GeneratedLoad, startLoad as startGenerated } from '../load.ts';
import { prepareChain } from '../prepare.ts';
import { createSignerPool } from '../signing/signer-pool.ts';
import { endlessSource } from '../signing/transfer-source.ts';
import { createSeededRandom } from '../workload/seeded-random.ts';
import { handlesOf } from './cluster-nodes.ts';

interface ClusterLoadOptions {
  readonly transactionsPerSecond: number;
  /** For an audit at the end. */
  readonly keepFates?: boolean;
}

export interface ClusterLoad extends Pick<GeneratedLoad, 'sent'> {
  /** Reasons of refusals, and how often. */
  readonly refusals: ReadonlyMap<string, number>;
  /** The chain's own record of every accepted transaction, after `finish`. Only with `keepFates`. */
  audit(): Promise<ChainAudit>;
  /** Stops sending. Resolves when all transactions have ended, or no node can include them any more. */
  finish(): Promise<void>;
}

const ACCOUNTS = 200;
/** Shorter than a chain allows, so that a run ends soon. */
const LIFE_MS = 12_000;
const SIGNING_THREADS = 1;

export async function startClusterLoad(
  cluster: Cluster,
  { transactionsPerSecond, keepFates = false }: ClusterLoadOptions,
): Promise<ClusterLoad> {
  const nodes = handlesOf(cluster);
  const seed = crypto.randomUUID();
  const running = nodes.filter((node) => node.running);
  const chain = await prepareChain(running, { seed, accounts: ACCOUNTS, transactionBytes: 0 });
  await chain.fund(0, 1);
  const pool = createSignerPool(chain.task, SIGNING_THREADS);
  const ending = new AbortController();
  const source = endlessSource(
    pool,
    { transactionsPerSecond, lifeMs: LIFE_MS, wallMs: Date.now, onError: () => ending.abort() },
    ending.signal,
  );
  const fromHeight = Math.min(
    ...(await Promise.all(running.map(async ({ client }) => (await client.status()).height))),
  );
  const load = startGenerated(
    { nodes, followed: nodes, source, unit: createSeededRandom(seed).unit, wallMs: Date.now },
    { transactionsPerSecond, fromHeight, keepFates },
  );
  return {
    sent: load.sent,
    refusals: load.sent.refusals(),
    async audit() {
      const node = nodes.find((each) => each.running);
      if (!keepFates || node === undefined) throw new Error('an audit needs the fates, and a node that runs');
      return await auditChain({ node, fromHeight, toHeight: load.height(), fates: load.sent.fates() });
    },
    async finish() {
      ending.abort();
      await load.finish();
      await pool.close();
    },
  };
}

export interface WatchedLoad {
  readonly load: ClusterLoad;
  readonly watch: Watch;
}

export async function watchedLoad(cluster: Cluster, transactionsPerSecond: number): Promise<WatchedLoad> {
  const watch = watchCluster(cluster);
  return { load: await startClusterLoad(cluster, { transactionsPerSecond }), watch };
}
