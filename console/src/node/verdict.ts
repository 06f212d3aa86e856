/**
 * Verdicts: is my node well, and is the chain well? Each with the reasons, worst first.
 *
 * The node judges itself by its alert rules; those about the chain count for the chain. What a node cannot say of itself (it
 * is silent, it is gone) is judged here.
 */
import type { Alert, CommitteeView, Stats, Status } from '@slipstream/schema';
import type { Tone } from '../design/badge.tsx';
import { count, duration, percent, span } from '../design/format.ts';
import type { Connection, ViewRow } from '../stream/snapshot.ts';

export interface Verdict {
  readonly tone: Tone;
  readonly word: string;
  readonly reasons: readonly string[];
}

export interface Evidence {
  readonly connection: Connection;
  readonly status: Status | null;
  readonly stats: Stats | null;
  readonly committee: CommitteeView | null;
  readonly alerts: readonly Alert[];
  readonly views: readonly ViewRow[];
  /** How long ago a block became final here; null before the first. */
  readonly finalAgoMs: number | null;
}

/** A chain that paces itself makes several blocks a second; this long without one is no pause. */
const FINAL_LATE_MS = 5_000;
const FINAL_STALLED_MS = 15_000;
/** More given-up views than this mean slow or missing leaders. */
const NULLIFIED_SHARE_MAX = 0.1;
const VIEWS_JUDGED = 60;

const CHAIN_RULES: ReadonlySet<string> = new Set(['no-finality', 'quorum-unreachable']);

/** Alerts that end with the process: it said so before it was gone. */
const STOP_RULES: ReadonlySet<string> = new Set(['halted', 'disk-failed']);

export const NOT_FINALIZING = 'Not finalizing';
const FINAL_AGAIN = 'A block became final just now.';

const UNKNOWN: Verdict = { tone: 'plain', word: 'Not known', reasons: ['Waiting for the first message of the node.'] };

export function judgeNode({ connection, status, alerts, committee }: Evidence): Verdict {
  const stopped = stoppedItself(alerts);
  if (stopped !== undefined) return stopped;
  if (status === null) return connection.type === 'lost' ? unreachable : UNKNOWN;
  if (connection.type === 'lost') return unreachable;
  const own = worstFirst(alerts.filter(({ rule }) => !CHAIN_RULES.has(rule)));
  // An operator asked for it: that it is not ready then is no fault.
  const isDraining = status.draining === true;
  const isUnready = !status.ready && !isDraining;
  const facts = [
    ...(isUnready ? ['It is not ready to serve.'] : []),
    ...(isDraining ? ['Draining: takes no transactions.'] : []),
    ...(status.syncing ? [`It is catching up: committed to ${count(status.height)}.`] : []),
    // Two rules may say the same of one disk.
    ...new Set(own.map(({ message }) => message)),
  ];
  if (own.some(({ severity }) => severity === 'critical') || isUnready) return verdict('bad', 'Not well', facts);
  if (connection.type === 'stale') return verdict('warn', 'Silent', ['It has sent nothing for a while.', ...facts]);
  if (connection.type === 'behind')
    return verdict('warn', 'Seen late', [`As of ${span(connection.byMs)} ago.`, ...facts]);
  if (status.syncing) return verdict('info', 'Catching up', facts);
  if (own.length > 0) return verdict('warn', 'Needs a look', facts);
  if (isDraining) return verdict('info', 'Draining', facts);
  const { connected, validators } = status.peers;
  return verdict('good', 'Well', ['It serves and follows the chain.', peersOf(connected, validators, committee)]);
}

/** Undefined when it has said nothing of a stop. */
export function stoppedItself(alerts: readonly Alert[]): Verdict | undefined {
  const last = alerts.find(({ rule }) => STOP_RULES.has(rule));
  return last && verdict('bad', 'Stopped itself', [last.message, last.remedy]);
}

/** With one of these the chain stands still, as far as the node that says so can see. */
export function chainStands(alerts: readonly Alert[]): readonly Alert[] {
  return alerts.filter(({ rule, severity }) => CHAIN_RULES.has(rule) && severity === 'critical');
}

export function worstFirst(alerts: readonly Alert[]): readonly Alert[] {
  const rank = ({ severity }: Alert) => (severity === 'critical' ? 0 : 1);
  return alerts.toSorted((a, b) => rank(a) - rank(b));
}

function peersOf(connected: number, validators: number, committee: CommitteeView | null): string {
  if (connected === 0) return committee?.members.length === 1 ? 'The only validator: it needs no peers.' : 'No peers.';
  const share = validators === connected ? 'all' : count(validators);
  return `${count(connected)} peer${connected === 1 ? '' : 's'}, ${share} of them validators.`;
}

const unreachable: Verdict = {
  tone: 'bad',
  word: 'Unreachable',
  reasons: ['The console cannot reach it. Is the process running, and its port open?'],
};

export function judgeChain(evidence: Evidence): Verdict {
  const { connection, status, alerts, finalAgoMs, stats } = evidence;
  if (status === null) return UNKNOWN;
  if (connection.type !== 'live') {
    return { tone: 'plain', word: 'Not known', reasons: ['What this node says is out of date.'] };
  }
  const chain = alerts.filter(({ rule }) => CHAIN_RULES.has(rule));
  const late = finalAgoMs === null || finalAgoMs > FINAL_LATE_MS;
  const unfinal = finalAgoMs === null ? [] : [late ? `No block became final for ${span(finalAgoMs)}.` : FINAL_AGAIN];
  // The alert says so in the words of the last second; here the time goes on, or is over.
  const messages = chain.flatMap(({ rule, message }) =>
    rule === 'no-finality' && unfinal.length > 0 ? unfinal : [message],
  );
  if (chainStands(alerts).length > 0 || (finalAgoMs ?? 0) > FINAL_STALLED_MS) {
    return verdict('bad', NOT_FINALIZING, messages.length > 0 ? messages : unfinal);
  }
  if (late && finalAgoMs !== null) return verdict('warn', 'Slow', unfinal);
  if (finalAgoMs === null) return verdict('info', 'Starting', ['No block became final yet since this page is open.']);
  const given = nullifiedShare(evidence.views);
  const strained = chain.length > 0 || given > NULLIFIED_SHARE_MAX;
  const views = given > NULLIFIED_SHARE_MAX ? nullifiedWords(evidence.views, given) : calmViewsWords(given);
  const finality = finalityWords(stats);
  return strained
    ? verdict('warn', 'Strained', [...messages, views, finality])
    : verdict('good', 'Well', [finality, views]);
}

function finalityWords(stats: Stats | null): string {
  const finality = stats?.finalityMs;
  if (!finality) return 'Blocks become final.';
  return `Final within ${duration(finality.p50)}, 95 of 100 within ${duration(finality.p95)}.`;
}

function calmViewsWords(share: number): string {
  return share === 0 ? 'No view was given up lately.' : `${percent(share)} of the last views were given up.`;
}

/** The worse of the two, for the top bar. */
export function judgeAll(node: Verdict, chain: Verdict): Verdict {
  const order: readonly Tone[] = ['bad', 'warn', 'info', 'plain', 'good'];
  return order.indexOf(chain.tone) < order.indexOf(node.tone) ? chain : node;
}

export function nullifiedShare(views: readonly ViewRow[]): number {
  const judged = views.slice(-VIEWS_JUDGED);
  return judged.length === 0 ? 0 : judged.filter((row) => row.nullified !== null).length / judged.length;
}

/** Names the leader when it is mostly one: that is where to look. */
function nullifiedWords(views: readonly ViewRow[], share: number): string {
  const leaders = views.slice(-VIEWS_JUDGED).flatMap(({ nullified, leader }) => (nullified === null ? [] : [leader]));
  const times = new Map<number | null, number>();
  for (const leader of leaders) times.set(leader, (times.get(leader) ?? 0) + 1);
  const [worst] = [...times].sort(([, a], [, b]) => b - a);
  const words = `${percent(share)} of the last views were given up`;
  return typeof worst?.[0] === 'number' && worst[1] > leaders.length / 2
    ? `${words}, most of them led by validator ${worst[0]}: look at Peers.`
    : `${words}: leaders are away or too slow, see Timeline.`;
}

function verdict(tone: Tone, word: string, reasons: readonly string[]): Verdict {
  return { tone, word, reasons };
}
