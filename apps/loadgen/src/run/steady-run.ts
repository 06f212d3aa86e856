/**
 * One run at one rate.
 *
 *   pay accounts --> sign all --> send (rate, seconds) --> drain --> audit the chain --> result
 */
import { auditChain, type ChainAudit } from '../fate/chain-audit.ts';
import { type LostTransaction, STAGES, type Stage, type TransactionCounts } from '../fate/sent-transactions.ts';
import { startLoad } from '../load.ts';
import { type ActiveAccounts, countActiveAccounts } from '../measure/active-accounts.ts';
import type { WatchedNode } from '../measure/node-sampler.ts';
import type { PreparedChain } from '../prepare.ts';
import type { SignedBatch } from '../signing/signed-batch.ts';
import type { SignerPool } from '../signing/signer-pool.ts';
import { blocksOf, sourceOf } from '../signing/transfer-source.ts';
import { recordSeries, type Sample } from './series.ts';
import { signRun } from './sign-run.ts';

export interface RunComponents {
  readonly chain: PreparedChain;
  readonly pool: SignerPool;
  /** The first that runs is followed; destinations are random. */
  readonly nodes: readonly WatchedNode[];
  readonly unit: () => number;
  readonly wallMs: () => number;
  readonly say: (text: string) => void;
}

export interface RunOptions {
  readonly transactionsPerSecond: number;
  readonly seconds: number;
  /** Block of the plan; later runs of a seed continue after the blocks of earlier ones. */
  readonly firstBlock: number;
  /** Audits the chain at the end for every accepted transaction. */
  readonly audits: boolean;
  readonly readsNodes: boolean;
  readonly signal?: AbortSignal;
  readonly onSample?: (sample: Sample, before: Sample | undefined) => void;
  /** Runs while the load sends: chaos, probes. The signal aborts when all is sent; the drain waits for the promise. */
  readonly during?: (sent: AbortSignal) => Promise<void>;
  /** Transactions signed beforehand, for this chain and time. */
  readonly signed?: readonly SignedBatch[];
}

export interface StageLatency {
  readonly count: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

export interface RunResult {
  readonly transactionsPerSecond: number;
  readonly seconds: number;
  readonly counts: TransactionCounts;
  /** At most LOST_KEPT. */
  readonly lost: readonly LostTransaction[];
  readonly refusals: Readonly<Record<string, number>>;
  /** Refusals with a retry delay. */
  readonly refusedForNow: number;
  /** From the last transaction sent to the end of the last accepted one. */
  readonly drainSeconds: number;
  /** From the intended send time; null without measurements. */
  readonly latencies: Readonly<Record<Stage, StageLatency | null>>;
  /** Rate of finality while sending. */
  readonly finalPerSecond: number;
  /** The longest delay of the sender itself. */
  readonly senderLateMs: number;
  readonly audit: ChainAudit | null;
  /** Null without an audit. */
  readonly activeAccounts: ActiveAccounts | null;
  readonly samples: readonly Sample[];
  /** Blocks of the plan that were used. */
  readonly blocks: number;
}

export async function runSteady(components: RunComponents, options: RunOptions): Promise<RunResult> {
  const { nodes, unit, wallMs } = components;
  const { transactionsPerSecond, seconds } = options;
  const signed = options.signed ?? (await signRun(components, options));
  const fromHeight = await heightOf(nodes);
  const [noticesOf] = nodes.toReversed();
  const load = startLoad(
    { nodes, followed: nodes, noticesOf, source: sourceOf(signed), unit, wallMs },
    { transactionsPerSecond, fromHeight, keepFates: options.audits },
  );
  const series = recordSeries(load, {
    nodes,
    readsNodes: options.readsNodes,
    ...(options.onSample && { onSample: options.onSample }),
  });
  const stopEarly = () => void load.close();
  options.signal?.addEventListener('abort', stopEarly, { once: true });
  const ended = load.loop.done.then(() => ({ final: load.sent.counts().final, atMs: performance.now() }));
  const sent = new AbortController();
  const [sentFinal] = await Promise.all([ended.finally(() => sent.abort()), options.during?.(sent.signal)]);
  await load.settled();
  const drainedMs = performance.now();
  await load.finish();
  await series.stop();
  options.signal?.removeEventListener('abort', stopEarly);
  const toHeight = load.height();
  const [observer] = nodes.filter(({ running }) => running);
  const audit =
    options.audits && observer
      ? await auditChain({ node: observer, fromHeight, toHeight, fates: load.sent.fates() })
      : null;
  const { workload } = components.chain.task;
  const counted = { workload, transactionsPerSecond, firstBlock: options.firstBlock, signed, fates: load.sent.fates() };
  const tookSeconds = (sentFinal.atMs - load.loop.startMs) / 1_000;
  const latencyOf = (stage: Stage): StageLatency | null => {
    const histogram = load.sent.latencies[stage];
    const quantiles = histogram.quantiles();
    return quantiles && { count: histogram.count, ...quantiles, max: Math.round(histogram.maxMs * 10) / 10 };
  };
  return {
    transactionsPerSecond,
    seconds,
    counts: load.sent.counts(),
    lost: load.sent.lost(),
    refusals: Object.fromEntries(load.sent.refusals()),
    refusedForNow: load.sent.refusedForNow(),
    drainSeconds: Math.round((drainedMs - sentFinal.atMs) / 100) / 10,
    latencies: Object.fromEntries(STAGES.map((stage) => [stage, latencyOf(stage)])) as RunResult['latencies'],
    finalPerSecond: Math.round((sentFinal.final / tookSeconds) * 10) / 10,
    senderLateMs: Math.round(load.loop.lateMsMax()),
    audit,
    activeAccounts: audit && countActiveAccounts(counted),
    samples: series.samples(),
    blocks: blocksOf(transactionsPerSecond * seconds),
  };
}

async function heightOf(nodes: readonly WatchedNode[]): Promise<number> {
  const heights = await Promise.all(
    nodes.filter(({ running }) => running).map(async ({ client }) => (await client.status()).height),
  );
  return Math.min(...heights);
}

/** Share of the rate, and duration, of the warm-up. */
const WARM_UP_SHARE = 0.3;
const WARM_UP_SECONDS = 6;

/** Discarded run, since a new node's code is not JIT-compiled yet. Returns the number of blocks of the plan that it used. */
export async function warmUp(components: RunComponents, transactionsPerSecond: number): Promise<number> {
  const { blocks } = await runSteady(components, {
    transactionsPerSecond: Math.max(1, Math.round(WARM_UP_SHARE * transactionsPerSecond)),
    seconds: WARM_UP_SECONDS,
    firstBlock: 0,
    audits: false,
    readsNodes: false,
  });
  return blocks;
}
