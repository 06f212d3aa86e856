/** Result of a run, as a line of --json and as text. */
import type { ClusterLoad, Quantiles, TransactionCounts } from '@slipstream/app-loadgen';
import type { Cluster, Watch } from '@slipstream/devnet';
import type { Status } from '@slipstream/schema';

export interface Summary {
  readonly validators: number;
  readonly fullNodes: number;
  readonly seconds: number;
  /** Committed height of each node, in the order of `nodes`; null without an answer. */
  readonly heights: readonly (number | null)[];
  /** Committed since the start of the run. */
  readonly blocks: number;
  readonly transactions: TransactionCounts;
  readonly refusals: Readonly<Record<string, number>>;
  /** From the nodes, over their last minute: the median of their medians, the worst of their p95. */
  readonly blockIntervalMs: { readonly p50: number; readonly p95: number } | null;
  readonly finalityMs: { readonly p50: number; readonly p95: number } | null;
  /** From sending a transaction to the notice that it is final, at the client. */
  readonly submitToFinalMs: Quantiles | null;
  readonly nodes: readonly NodeSummary[];
  readonly errors: readonly string[];
}

export interface NodeSummary {
  readonly name: string;
  readonly pid: number | null;
  readonly restarts: number;
  /** Lines of severity error or fatal in its log. */
  readonly errors: number;
  readonly blockedPeers: number | null;
}

export interface RunFacts {
  readonly cluster: Cluster;
  readonly watch: Watch;
  readonly load: ClusterLoad | undefined;
  readonly seconds: number;
  readonly startHeight: number;
  /** Deaths, and other errors outside of the nodes' logs. */
  readonly errors: readonly string[];
}

export type Latencies = Pick<Summary, 'blockIntervalMs' | 'finalityMs'>;

const ERRORS_SHOWN_MAX = 20;
const NO_TRANSACTIONS: TransactionCounts = {
  sent: 0,
  accepted: 0,
  attested: 0,
  final: 0,
  failed: 0,
  expired: 0,
  lost: 0,
  refused: 0,
  unanswered: 0,
  pending: 0,
};

/** To be called while the load runs, because an idle network has other intervals. */
export function readLatencies({ nodes }: Cluster, watch: Watch): Latencies {
  const stats = nodes.flatMap(({ name }) => watch.stats(name) ?? []);
  return {
    blockIntervalMs: acrossNodes(stats.map(({ blockTimeMs }) => blockTimeMs)),
    finalityMs: acrossNodes(stats.map(({ finalityMs }) => finalityMs)),
  };
}

export async function summarize(facts: RunFacts, latencies: Latencies): Promise<Summary> {
  const { cluster, load, startHeight } = facts;
  const statuses = await Promise.all(
    cluster.nodes.map(({ client }): Promise<Status | undefined> => client.status().catch(() => undefined)),
  );
  const logged = await Promise.all(cluster.nodes.map(({ process }) => process.errors()));
  const heights = statuses.map((status) => status?.height ?? null);
  const errors = [
    ...facts.errors,
    ...cluster.nodes.flatMap(({ name }, index) => grouped(logged[index] ?? []).map((line) => `${name}: ${line}`)),
  ];
  return {
    validators: cluster.nodes.filter(({ validator }) => validator !== undefined).length,
    fullNodes: cluster.nodes.filter(({ validator }) => validator === undefined).length,
    seconds: Math.round(facts.seconds * 10) / 10,
    heights,
    blocks: Math.max(0, Math.max(startHeight, ...heights.map((height) => height ?? 0)) - startHeight),
    transactions: load?.sent.counts() ?? NO_TRANSACTIONS,
    refusals: Object.fromEntries(load?.refusals ?? []),
    ...latencies,
    submitToFinalMs: load?.sent.submitToFinalMs() ?? null,
    nodes: cluster.nodes.map(({ name, process }, index) => ({
      name,
      pid: process.pid ?? null,
      restarts: process.restarts,
      errors: logged[index]?.length ?? 0,
      blockedPeers: statuses[index]?.peers.blocked ?? null,
    })),
    errors: errors.slice(0, ERRORS_SHOWN_MAX),
  };
}

/** Equal lines once, with their number. */
function grouped(lines: readonly string[]): readonly string[] {
  const times = new Map<string, number>();
  for (const line of lines) times.set(wordsOf(line), (times.get(wordsOf(line)) ?? 0) + 1);
  return [...times].map(([words, count]) => (count === 1 ? words : `${words} (${count} times)`));
}

/** The message of a log line, and its reason. */
function wordsOf(line: string): string {
  if (!line.startsWith('{')) return line;
  const { msg, reason, cause, error } = JSON.parse(line) as Readonly<Record<string, unknown>>;
  const why = reason ?? cause ?? error;
  return why === undefined ? String(msg) : `${msg}: ${why}`;
}

function acrossNodes(each: readonly (Quantiles | null)[]): { readonly p50: number; readonly p95: number } | null {
  const known = each.filter((quantiles) => quantiles !== null);
  if (known.length === 0) return null;
  const medians = known.map(({ p50 }) => p50).toSorted((a, b) => a - b);
  return { p50: quantile(medians, 0.5), p95: Math.round(Math.max(...known.map(({ p95 }) => p95)) * 10) / 10 };
}

/** Nearest rank of sorted values, rounded to a tenth. */
function quantile(sorted: readonly number[], q: number): number {
  const value = sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? 0;
  return Math.round(value * 10) / 10;
}

export function summaryText(summary: Summary): string {
  const { transactions, blockIntervalMs, finalityMs, submitToFinalMs } = summary;
  const pair = (quantiles: { readonly p50: number; readonly p95: number } | null) =>
    quantiles === null ? 'not measured' : `p50 ${quantiles.p50} ms, p95 ${quantiles.p95} ms`;
  return [
    `${summary.seconds} s, ${summary.blocks} blocks, heights ${summary.heights.map((height) => height ?? '-').join(' ')}`,
    `block interval   ${pair(blockIntervalMs)} (at the nodes)`,
    `finality         ${pair(finalityMs)} (at the nodes)`,
    ...(transactions.sent === 0
      ? []
      : [
          `submit to final  ${pair(submitToFinalMs)} (at the client)`,
          `transactions     ${Object.entries(transactions)
            .map(([name, count]) => `${name} ${count}`)
            .join(', ')}`,
        ]),
    ...Object.entries(summary.refusals).map(([reason, count]) => `  refused: ${reason} ${count}`),
    ...summary.errors.map((error) => `  ERROR ${error}`),
  ].join('\n');
}
