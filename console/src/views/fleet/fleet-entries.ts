/** Reports of each node, and the state of its process. */
import type { Alert, Stats, Status } from '@slipstream/schema';
import type { FleetNode, RelayedReport } from '../../node/fleet.ts';
import { type Health, haltedHealth, NOT_FINALIZING, nodeHealth, stalledChainAlerts } from '../../node/health.ts';
import type { FleetRow } from '../../stream/fleet-session.ts';
import type { Connection } from '../../stream/snapshot.ts';

export interface FleetEntry extends FleetNode {
  /** First reasons only. */
  readonly health: Health;
  /** Remedy of the first reason that is an alert; undefined when there is none, or the reasons include it. */
  readonly remedy: string | undefined;
  readonly fresh: boolean;
  readonly status: Status | null;
  readonly stats: Stats | null;
  /** Heights behind the chain's highest node; null: unknown. 0 within a second's blocks, because nodes report once per second. */
  readonly behind: number | null;
  /** Name of its chain, when that differs from the chain of the fleet's first node with a known one. */
  readonly otherChain: string | undefined;
}

const REASONS_MAX = 3;

export function fleetEntries(nodes: readonly FleetNode[], rows: ReadonlyMap<string, FleetRow>): readonly FleetEntry[] {
  const rowOf = (node: FleetNode) => rows.get(node.name) ?? relayedRow(node);
  const said = nodes.map(rowOf);
  const firstChain = said.find((row) => row?.status)?.status?.genesisHash;
  return nodes.map((node, at) => {
    const row = said[at];
    const chain = row?.status?.genesisHash;
    const ofChain = said.filter((other) => other?.status?.genesisHash === chain);
    const highest = Math.max(...ofChain.map((other) => other?.status?.height ?? 0));
    const fastest = Math.max(...ofChain.map((other) => other?.stats?.blocksPerSecond ?? 0));
    const { tone, label, reasons } = healthOf(node, row);
    const health = { tone, label, reasons: reasons.slice(0, REASONS_MAX) };
    return {
      ...node,
      health,
      remedy: remedyOf(health, row?.alerts ?? []),
      fresh: row?.connection.type === 'live' && node.process !== 'stopped' && node.process !== 'paused',
      status: row?.status ?? null,
      stats: row?.stats ?? null,
      behind: row?.status ? beyondASecond(highest - row.status.height, fastest) : null,
      otherChain: chain === firstChain ? undefined : row?.status?.chain,
    };
  });
}

function relayedRow({ name, relayed: report }: FleetNode): FleetRow | undefined {
  if (report === undefined) return undefined;
  const { status, stats, state, detail, sinceMs } = report;
  const lost: Connection = { type: 'lost', reason: detail ?? 'no answer', lostAtMs: sinceMs, retryInMs: 0 };
  const waiting: Connection = { type: 'connecting', attempt: 1, lostAtMs: null };
  const connection: Connection = state === 'live' ? { type: 'live' } : isUnreached(report) ? lost : waiting;
  return { name, connection, status, stats, alerts: status?.alerts ?? [] };
}

/** Stream lost, or the first connection failed. */
function isUnreached({ state, detail }: RelayedReport): boolean {
  return state === 'stale' || (state === 'connecting' && detail !== null);
}

/** Process state first, then injected faults, then the node's report. */
function healthOf(node: FleetNode, row: FleetRow | undefined): Health {
  if (node.process === 'stopped') {
    return {
      tone: 'bad',
      label: 'Stopped',
      reasons: ['The process is not running. Start it; it syncs by itself.'],
    };
  }
  if (node.process === 'paused') {
    return { tone: 'bad', label: 'Paused', reasons: ['The process is paused. Resume it.'] };
  }
  if (node.relayed !== undefined && isUnreached(node.relayed)) return unreached(node.relayed);
  const said: Health =
    row === undefined
      ? { tone: 'plain', label: 'Unknown', reasons: ['Waiting for its first message.'] }
      : judgeRow(row);
  const made = madeWrong(node);
  if (made.length === 0) return said;
  const tone = said.tone === 'bad' ? 'bad' : 'warn';
  return { tone, label: said.tone === 'good' ? 'Fault injected' : said.label, reasons: [...made, ...said.reasons] };
}

/** Health of the node, or of its stalled chain. */
function judgeRow(row: FleetRow): Health {
  const own = nodeHealth({ ...row, committee: null, views: [], finalAgoMs: null });
  const stands = row.connection.type === 'live' && !haltedHealth(row.alerts) ? stalledChainAlerts(row.alerts) : [];
  if (stands.length === 0) return own;
  const reasons = [...stands.map(({ message }) => message), ...(own.tone === 'good' ? [] : own.reasons)];
  return { tone: 'bad', label: NOT_FINALIZING, reasons };
}

function remedyOf({ reasons }: Health, alerts: readonly Alert[]): string | undefined {
  const first = reasons.map((reason) => alerts.find(({ message }) => message === reason)).find(Boolean);
  return first === undefined || reasons.includes(first.remedy) ? undefined : first.remedy;
}

/** Health of a node that another one relays; this page has no connection to it. */
function unreached({ by, url, detail, status }: RelayedReport): Health {
  const stopped = haltedHealth(status?.alerts ?? []);
  if (stopped !== undefined) return stopped;
  const reasons = [
    `${by} cannot reach it at ${url}: ${detail ?? 'no answer'}.`,
    'Check that its process runs and its port is open. After a restart it syncs by itself.',
  ];
  return { tone: 'bad', label: 'Unreachable', reasons };
}

function madeWrong({ cutFrom, corrupt }: FleetNode): readonly string[] {
  return [
    ...(cutFrom.length > 0 ? [`Partitioned from ${cutFrom.join(', ')}.`] : []),
    ...(corrupt ? ['Its signatures are corrupted on purpose: other nodes detect and block it.'] : []),
  ];
}

function beyondASecond(blocks: number, perSecond: number): number {
  return blocks <= Math.ceil(perSecond) + 1 ? 0 : blocks;
}

/** On the first node's chain; null: no height reported. */
export function highestOf(entries: readonly FleetEntry[]): number | null {
  const heights = entries.flatMap(({ status, fresh, otherChain }) =>
    status !== null && fresh && otherChain === undefined ? [status.height] : [],
  );
  return heights.length === 0 ? null : Math.max(...heights);
}
