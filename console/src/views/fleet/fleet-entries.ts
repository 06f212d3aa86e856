/** What the fleet view says of each node: what the node says of itself, and what is known of its process. */
import type { Alert, Stats, Status } from '@slipstream/schema';
import type { FleetNode, Heard } from '../../node/fleet.ts';
import { chainStands, judgeNode, NOT_FINALIZING, stoppedItself, type Verdict } from '../../node/verdict.ts';
import type { FleetRow } from '../../stream/fleet-session.ts';
import type { Connection } from '../../stream/snapshot.ts';

export interface FleetEntry extends FleetNode {
  /** Its first reasons alone. */
  readonly verdict: Verdict;
  /** What to do about the first reason that is an alert; undefined where none is, or the reasons say it. */
  readonly remedy: string | undefined;
  /** What is shown of it is as of now. */
  readonly fresh: boolean;
  readonly status: Status | null;
  readonly stats: Stats | null;
  /** Behind the highest of its chain in the fleet; null: not known. 0 within what a second makes: nodes speak once a second. */
  readonly behind: number | null;
  /** Name of its chain when that is another one than the chain of the fleet's first node that said which it is of. */
  readonly otherChain: string | undefined;
}

const REASONS_MAX = 3;

export function fleetEntries(nodes: readonly FleetNode[], rows: ReadonlyMap<string, FleetRow>): readonly FleetEntry[] {
  const rowOf = (node: FleetNode) => rows.get(node.name) ?? heardRow(node);
  const said = nodes.map(rowOf);
  const firstChain = said.find((row) => row?.status)?.status?.genesisHash;
  return nodes.map((node, at) => {
    const row = said[at];
    const chain = row?.status?.genesisHash;
    const ofChain = said.filter((other) => other?.status?.genesisHash === chain);
    const highest = Math.max(...ofChain.map((other) => other?.status?.height ?? 0));
    const fastest = Math.max(...ofChain.map((other) => other?.stats?.blocksPerSecond ?? 0));
    const { tone, word, reasons } = verdictOf(node, row);
    const verdict = { tone, word, reasons: reasons.slice(0, REASONS_MAX) };
    return {
      ...node,
      verdict,
      remedy: remedyOf(verdict, row?.alerts ?? []),
      fresh: row?.connection.type === 'live' && node.process !== 'stopped' && node.process !== 'paused',
      status: row?.status ?? null,
      stats: row?.stats ?? null,
      behind: row?.status ? beyondASecond(highest - row.status.height, fastest) : null,
      otherChain: chain === firstChain ? undefined : row?.status?.chain,
    };
  });
}

/** What the page's own node heard of it, as if this page had. */
function heardRow({ name, heard }: FleetNode): FleetRow | undefined {
  if (heard === undefined) return undefined;
  const { status, stats, state, detail, sinceMs } = heard;
  const lost: Connection = { type: 'lost', reason: detail ?? 'no answer', lostAtMs: sinceMs, retryInMs: 0 };
  const waiting: Connection = { type: 'connecting', attempt: 1, lostAtMs: null };
  const connection: Connection = state === 'live' ? { type: 'live' } : isUnreached(heard) ? lost : waiting;
  return { name, connection, status, stats, alerts: status?.alerts ?? [] };
}

/** It was lost, or a try to reach it for the first time came to nothing. */
function isUnreached({ state, detail }: Heard): boolean {
  return state === 'stale' || (state === 'connecting' && detail !== null);
}

/** The process is known for certain where it is known at all; then the links; then what the node says. */
function verdictOf(node: FleetNode, row: FleetRow | undefined): Verdict {
  if (node.process === 'stopped') {
    return {
      tone: 'bad',
      word: 'Stopped',
      reasons: ['Its process is not running. Start it: it catches up by itself.'],
    };
  }
  if (node.process === 'paused') {
    return { tone: 'bad', word: 'Paused', reasons: ['Its process was paused and says nothing. Resume it.'] };
  }
  if (node.heard !== undefined && isUnreached(node.heard)) return unreached(node.heard);
  const said: Verdict =
    row === undefined ? { tone: 'plain', word: 'Not known', reasons: ['Waiting for its first word.'] } : judgeRow(row);
  const made = madeWrong(node);
  if (made.length === 0) return said;
  const tone = said.tone === 'bad' ? 'bad' : 'warn';
  return { tone, word: said.tone === 'good' ? 'Broken on purpose' : said.word, reasons: [...made, ...said.reasons] };
}

/** Its own state, and that of the chain: a fleet whose chain stands still is in trouble, whoever of it is well. */
function judgeRow(row: FleetRow): Verdict {
  const own = judgeNode({ ...row, committee: null, views: [], finalAgoMs: null });
  const stands = row.connection.type === 'live' && !stoppedItself(row.alerts) ? chainStands(row.alerts) : [];
  if (stands.length === 0) return own;
  const reasons = [...stands.map(({ message }) => message), ...(own.tone === 'good' ? [] : own.reasons)];
  return { tone: 'bad', word: NOT_FINALIZING, reasons };
}

/** Alerts of a process that is gone are no reasons: there is nothing to do about them now. */
function remedyOf({ reasons }: Verdict, alerts: readonly Alert[]): string | undefined {
  const first = reasons.map((reason) => alerts.find(({ message }) => message === reason)).find(Boolean);
  return first === undefined || reasons.includes(first.remedy) ? undefined : first.remedy;
}

/** Of a node that another one watches: this page has not tried to reach it. A node that stopped itself said so before. */
function unreached({ by, url, detail, status }: Heard): Verdict {
  const stopped = stoppedItself(status?.alerts ?? []);
  if (stopped !== undefined) return stopped;
  const reasons = [
    `Not reached by ${by} at ${url}: ${detail ?? 'no answer'}.`,
    'Is its process running, and its port open? Started again, it catches up by itself.',
  ];
  return { tone: 'bad', word: 'Unreachable', reasons };
}

function madeWrong({ cutFrom, corrupt }: FleetNode): readonly string[] {
  return [
    ...(cutFrom.length > 0 ? [`Cut off from ${cutFrom.join(', ')}.`] : []),
    ...(corrupt ? ['It signs wrongly on purpose: the others find it and block it.'] : []),
  ];
}

function beyondASecond(blocks: number, perSecond: number): number {
  return blocks <= Math.ceil(perSecond) + 1 ? 0 : blocks;
}

/** Of the chain of the first; null while nobody has said. */
export function highestOf(entries: readonly FleetEntry[]): number | null {
  const heights = entries.flatMap(({ status, fresh, otherChain }) =>
    status !== null && fresh && otherChain === undefined ? [status.height] : [],
  );
  return heights.length === 0 ? null : Math.max(...heights);
}
