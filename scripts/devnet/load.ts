/** A steady, endless load on a network of this machine, signed as it is sent, through all nodes; follows each transaction to its end. */
import {
  auditChain,
  type ChainAudit,
  createSeededRandom,
  createSignerPool,
  endlessSource,
  type Load as GeneratedLoad,
  prepareChain,
  restSubmitter,
  startLoad as startGenerated,
} from '@slipstream/app-loadgen';
import type { Cluster } from './cluster.ts';
import { handlesOf } from './node-handles.ts';

export interface LoadOptions {
  readonly transactionsPerSecond: number;
  /** For an audit at the end. */
  readonly keepFates?: boolean;
}

export interface Load extends Pick<GeneratedLoad, 'sent'> {
  /** Reasons of refusals, and how often. */
  readonly refusals: ReadonlyMap<string, number>;
  /** The chain's own record of every accepted transaction, after `finish`; only for a load with `keepFates`. */
  audit(): Promise<ChainAudit>;
  /** Stops sending, and follows pending transactions until all have ended, or no node can include them any more. */
  finish(): Promise<void>;
}

const ACCOUNTS = 200;
/** Shorter than a chain allows, so that a run ends soon. */
const LIFE_MS = 12_000;
const SIGNING_THREADS = 1;

export async function startLoad(
  cluster: Cluster,
  { transactionsPerSecond, keepFates = false }: LoadOptions,
): Promise<Load> {
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
    { nodes, followed: nodes, submitter: restSubmitter, source, unit: createSeededRandom(seed).unit, wallMs: Date.now },
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
