/**
 * Health of node and chain, each with its reasons, worst first.
 *
 * The node's alert rules decide. The console adds that the node is unresponsive or unreachable.
 */
import { type Alert, type CommitteeView, type Stats, type Status, whyNotSigning } from '@slipstream/schema';
import type { Tone } from '../design/badge.tsx';
import { count, counted, duration, percent, span } from '../design/format.ts';
import type { Connection, ViewRow } from '../stream/snapshot.ts';

export interface Health {
  readonly tone: Tone;
  readonly label: string;
  readonly reasons: readonly string[];
}

export interface Evidence {
  readonly connection: Connection;
  readonly status: Status | null;
  readonly stats: Stats | null;
  readonly committee: CommitteeView | null;
  readonly alerts: readonly Alert[];
  readonly views: readonly ViewRow[];
  /** Since the last final block here; null before the first. */
  readonly finalAgoMs: number | null;
}

/** A chain finalizes several blocks per second. */
const FINAL_LATE_MS = 5_000;
const FINAL_STALLED_MS = 15_000;
/** Above this share leaders are slow or missing. */
const NULLIFIED_SHARE_MAX = 0.1;
const VIEWS_JUDGED = 60;

const CHAIN_RULES: ReadonlySet<string> = new Set(['no-finality', 'quorum-unreachable', 'recovery-needed']);

/** Raised before a node stops. */
const HALT_RULES: ReadonlySet<string> = new Set(['halted', 'disk-failed']);

export const NOT_FINALIZING = 'Not finalizing';
const FINAL_AGAIN = 'A block was finalized just now.';

const UNKNOWN: Health = { tone: 'plain', label: 'Unknown', reasons: ['Waiting for the first message from the node.'] };

export function nodeHealth({ connection, status, alerts, committee }: Evidence): Health {
  const stopped = haltedHealth(alerts);
  if (stopped !== undefined) return stopped;
  if (status === null) return connection.type === 'lost' ? unreachable : UNKNOWN;
  if (connection.type === 'lost') return unreachable;
  const own = worstFirst(alerts.filter(({ rule }) => !CHAIN_RULES.has(rule) && rule !== 'signing-refused'));
  const notSigning = whyNotSigning(status.signing);
  // A draining node is expected to be unready.
  const isDraining = status.draining === true;
  const isUnready = !status.ready && !isDraining;
  const facts = [
    ...(isUnready ? ['The node is not ready to serve.'] : []),
    ...(isDraining ? ['Draining: new transactions are not accepted.'] : []),
    ...(status.syncing ? [`Syncing: committed up to height ${count(status.height)}.`] : []),
    ...(notSigning === undefined ? [] : [`Not voting: it ${notSigning}.`]),
    // Two rules may report one disk.
    ...new Set(own.map(({ message }) => message)),
  ];
  if (own.some(({ severity }) => severity === 'critical') || isUnready) return health('bad', 'Unhealthy', facts);
  if (connection.type === 'stale') return health('warn', 'Unresponsive', ['No message arrived for a while.', ...facts]);
  if (connection.type === 'behind')
    return health('warn', 'Delayed', [`Data is ${span(connection.byMs)} old.`, ...facts]);
  if (status.syncing) return health('info', 'Syncing', facts);
  if (own.length > 0) return health('warn', 'Degraded', facts);
  if (notSigning !== undefined) return health('warn', 'Not signing', facts);
  if (isDraining) return health('info', 'Draining', facts);
  const { connected, validators } = status.peers;
  return health('good', 'Healthy', [
    'The node serves requests and follows the chain.',
    peersOf(connected, validators, committee),
  ]);
}

/** Undefined: no halt. */
export function haltedHealth(alerts: readonly Alert[]): Health | undefined {
  const last = alerts.find(({ rule }) => HALT_RULES.has(rule));
  return last && health('bad', 'Halted', [last.message, last.remedy]);
}

/** Active alerts that mean a stalled chain. */
export function stalledChainAlerts(alerts: readonly Alert[]): readonly Alert[] {
  return alerts.filter(({ rule, severity }) => CHAIN_RULES.has(rule) && severity === 'critical');
}

export function worstFirst(alerts: readonly Alert[]): readonly Alert[] {
  const rank = ({ severity }: Alert) => (severity === 'critical' ? 0 : 1);
  return alerts.toSorted((a, b) => rank(a) - rank(b));
}

function peersOf(connected: number, validators: number, committee: CommitteeView | null): string {
  if (connected === 0) return committee?.members.length === 1 ? 'The only validator; it needs no peers.' : 'No peers.';
  const share = validators === connected ? 'all' : count(validators);
  return `${counted(connected, 'peer')}, ${share} of them validators.`;
}

const unreachable: Health = {
  tone: 'bad',
  label: 'Unreachable',
  reasons: ['The console cannot reach the node. Check that its process runs and its port is open.'],
};

export function chainHealth(evidence: Evidence): Health {
  const { connection, status, alerts, finalAgoMs, stats } = evidence;
  if (status === null) return UNKNOWN;
  if (connection.type !== 'live') {
    return { tone: 'plain', label: 'Unknown', reasons: ['Data from this node is out of date.'] };
  }
  const chain = alerts.filter(({ rule }) => CHAIN_RULES.has(rule));
  const late = finalAgoMs === null || finalAgoMs > FINAL_LATE_MS;
  const unfinal = finalAgoMs === null ? [] : [late ? `No block was finalized for ${span(finalAgoMs)}.` : FINAL_AGAIN];
  // The alert text is up to a second old; this age is current.
  const messages = chain.flatMap(({ rule, message }) =>
    rule === 'no-finality' && unfinal.length > 0 ? unfinal : [message],
  );
  if (stalledChainAlerts(alerts).length > 0 || (finalAgoMs ?? 0) > FINAL_STALLED_MS) {
    return health('bad', NOT_FINALIZING, messages.length > 0 ? messages : unfinal);
  }
  if (late && finalAgoMs !== null) return health('warn', 'Slow', unfinal);
  if (finalAgoMs === null) return health('info', 'Starting', ['No block was finalized since this page was opened.']);
  const nullified = nullifiedShare(evidence.views);
  const isDegraded = chain.length > 0 || nullified > NULLIFIED_SHARE_MAX;
  const views =
    nullified > NULLIFIED_SHARE_MAX ? nullifiedText(evidence.views, nullified) : nullifiedShareText(nullified);
  const finality = finalityText(stats);
  return isDegraded
    ? health('warn', 'Degraded', [...messages, views, finality])
    : health('good', 'Healthy', [finality, views]);
}

function finalityText(stats: Stats | null): string {
  const finality = stats?.finalityMs;
  if (!finality) return 'Blocks are finalized.';
  return `Finality p50 ${duration(finality.p50)}, p95 ${duration(finality.p95)}.`;
}

function nullifiedShareText(share: number): string {
  return share === 0 ? 'No recent view was nullified.' : `${percent(share)} of recent views were nullified.`;
}

export function worseHealth(node: Health, chain: Health): Health {
  const order: readonly Tone[] = ['bad', 'warn', 'info', 'plain', 'good'];
  return order.indexOf(chain.tone) < order.indexOf(node.tone) ? chain : node;
}

export function nullifiedShare(views: readonly ViewRow[]): number {
  const judged = views.slice(-VIEWS_JUDGED);
  return judged.length === 0 ? 0 : judged.filter((row) => row.nullified !== null).length / judged.length;
}

/** Names the leader when one validator led most of them. */
function nullifiedText(views: readonly ViewRow[], share: number): string {
  const leaders = views.slice(-VIEWS_JUDGED).flatMap(({ nullified, leader }) => (nullified === null ? [] : [leader]));
  const times = new Map<number | null, number>();
  for (const leader of leaders) times.set(leader, (times.get(leader) ?? 0) + 1);
  const [worst] = [...times].sort(([, a], [, b]) => b - a);
  const words = `${percent(share)} of recent views were nullified`;
  return typeof worst?.[0] === 'number' && worst[1] > leaders.length / 2
    ? `${words}, most of them led by validator ${worst[0]}: see Peers.`
    : `${words}: leaders are offline or too slow, see Timeline.`;
}

function health(tone: Tone, word: string, reasons: readonly string[]): Health {
  return { tone, label: word, reasons };
}
