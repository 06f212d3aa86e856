/** Collector: takes in validated messages and gives out what changed since it was last asked. */
import {
  type CommitteeView,
  type EventData,
  type NodeEvent,
  type Peer,
  type Stats,
  type Status,
  type StreamEvent,
  type StreamFullState,
  statusAfter,
} from '@slipstream/schema';
import {
  ACTIVITY_MAX,
  ALERTS_MAX,
  BISECTIONS_MAX,
  CHECKS_MAX,
  CHUNKS_MAX,
  EVIDENCE_MAX,
  PEERS_MAX,
  SERIES_POINTS_MAX,
} from './limits.ts';
import { seriesPoint } from './series-point.ts';
import type {
  Activity,
  Batch,
  Bisection,
  ChunkNote,
  Connection,
  EvidenceNote,
  QuorumCheck,
  SeriesPoint,
} from './snapshot.ts';
import { createViewRows } from './view-rows.ts';

export interface Collector {
  connection(connection: Connection): void;
  skew(skewMs: number): void;
  malformed(count: number): void;
  /** The full state replaces what was known; another chain or node resets everything. */
  state(message: StreamFullState): void;
  event(message: StreamEvent): void;
  /** What changed since the last call; undefined when nothing did. */
  take(): Batch | undefined;
}

interface Pending {
  reset: boolean;
  replace: { -readonly [K in keyof Batch['replace']]: Batch['replace'][K] };
  series: SeriesPoint[];
  checks: QuorumCheck[];
  bisections: Bisection[];
  evidence: EvidenceNote[];
  chunks: ChunkNote[];
  activity: Activity[];
}

export function createCollector(): Collector {
  const views = createViewRows();
  const peers = new Map<string, Peer>();
  let status: Status | undefined;
  let activityKey = 0;
  let pending = nothing();
  let dirty = false;

  function replace(fields: Batch['replace']): void {
    Object.assign(pending.replace, fields);
    dirty = true;
  }

  function append<T>(list: T[], item: T, max: number): void {
    list.push(item);
    if (list.length > max) list.shift();
    dirty = true;
  }

  function note(atMs: number, tone: Activity['tone'], text: string, subject = text): void {
    activityKey += 1;
    append(pending.activity, { key: activityKey, atMs, tone, text, subject, times: 1 }, ACTIVITY_MAX);
  }

  function state({ state }: StreamFullState): void {
    if (status && (status.genesisHash !== state.status.genesisHash || status.node.peer !== state.status.node.peer)) {
      const { connection } = pending.replace;
      pending = { ...nothing(), reset: true };
      if (connection) replace({ connection });
      views.clear();
    }
    peers.clear();
    for (const peer of state.peers.slice(0, PEERS_MAX)) peers.set(peer.peer, peer);
    views.blocks(state.blocks);
    const committee: CommitteeView = state.committee;
    replace({ committee, peers: [...peers.values()], stats: state.stats as Stats | null });
    keep(state.status);
  }

  function event({ event, atMs }: StreamEvent): void {
    if (views.event(event, atMs)) dirty = true;
    if (status !== undefined) keep(statusAfter(status, event));
    switch (event.type) {
      case 'stats':
        append(pending.series, seriesPoint(event.data, atMs), SERIES_POINTS_MAX);
        replace({ stats: event.data });
        break;
      case 'block.committed':
        advance({ height: event.data.height });
        break;
      case 'block.final':
        advance({ finalHeight: event.data.height });
        break;
      case 'quorum.verified':
        append(pending.checks, { atMs, ...event.data }, CHECKS_MAX);
        break;
      case 'bisection':
        append(pending.bisections, { atMs, ...event.data }, BISECTIONS_MAX);
        note(atMs, 'warn', `Bad votes found in view ${event.data.view}: ${members(event.data.offenders)}`);
        break;
      case 'evidence':
        append(pending.evidence, { atMs, ...event.data }, EVIDENCE_MAX);
        note(atMs, 'bad', `Validator ${event.data.offender} signed two ${event.data.type} in view ${event.data.view}`);
        break;
      case 'chunk.certified':
        append(pending.chunks, { atMs, ...event.data }, CHUNKS_MAX);
        break;
      case 'view.nullified':
        nullified(event.data, atMs);
        break;
      case 'alert.raised':
      case 'alert.cleared':
        alert(event, atMs);
        break;
      case 'peer.connected':
      case 'peer.lost':
      case 'peer.blocked':
      case 'peer.unblocked':
        peer(event, atMs);
        break;
      default:
      // Of no interest here, or taken in as a view above.
    }
  }

  function nullified({ view, leader, reason }: EventData<'view.nullified'>, atMs: number): void {
    const subject = `given up ${leader} ${reason}`;
    note(atMs, 'warn', `View ${view} given up: ${reason}, leader ${leader}`, subject);
  }

  function advance(fields: Partial<Status>): void {
    if (status !== undefined) keep({ ...status, ...fields });
  }

  function keep(newer: Status): void {
    if (newer === status) return;
    if (newer.alerts !== status?.alerts) replace({ alerts: newer.alerts.slice(-ALERTS_MAX) });
    status = newer;
    replace({ status });
  }

  function alert(event: NodeEvent & { type: 'alert.raised' | 'alert.cleared' }, atMs: number): void {
    if (event.type === 'alert.raised') {
      note(atMs, event.data.severity === 'critical' ? 'bad' : 'warn', `Alert: ${event.data.message}`);
    } else {
      note(atMs, 'good', `Alert over: ${event.data.rule}`);
    }
  }

  function peer(event: NodeEvent & { type: `peer.${string}` }, atMs: number): void {
    const name = peerName(peers.get(event.data.peer), event.data.peer);
    switch (event.type) {
      case 'peer.connected':
        peers.set(event.data.peer, event.data);
        note(atMs, 'info', `${peerName(event.data, event.data.peer)} connected`);
        break;
      case 'peer.lost':
        amend(event.data.peer, { connected: false, roundTripMs: null });
        note(atMs, 'warn', `${name} lost: ${event.data.reason}`);
        break;
      case 'peer.blocked': {
        amend(event.data.peer, { connected: false, validator: event.data.validator, blocked: block(event.data, atMs) });
        note(atMs, 'bad', `${name} blocked: ${event.data.reason}`);
        break;
      }
      case 'peer.unblocked':
        amend(event.data.peer, { blocked: null });
        note(atMs, 'info', `${name} unblocked by an operator`);
        break;
      default:
        event satisfies never;
    }
    replace({ peers: [...peers.values()].slice(-PEERS_MAX) });
  }

  function amend(key: string, fields: Partial<Peer>): void {
    peers.set(key, { ...(peers.get(key) ?? unknownPeer(key)), ...fields });
  }

  function take(): Batch | undefined {
    const rows = views.take();
    if (!dirty && rows.length === 0) return undefined;
    const { reset, replace: replaced, ...append } = pending;
    pending = nothing();
    dirty = false;
    return { reset, replace: replaced, views: rows, append };
  }

  return {
    connection: (connection) => replace({ connection }),
    skew: (skewMs) => replace({ skewMs }),
    malformed: (count) => replace({ malformed: count }),
    state,
    event,
    take,
  };
}

function nothing(): Pending {
  return { reset: false, replace: {}, series: [], checks: [], bisections: [], evidence: [], chunks: [], activity: [] };
}

function members(indices: readonly number[]): string {
  return `validator${indices.length === 1 ? '' : 's'} ${indices.join(', ')}`;
}

function peerName(peer: Peer | undefined, key: string): string {
  if (peer?.name !== undefined) return peer.name;
  if (typeof peer?.validator === 'number') return `Validator ${peer.validator}`;
  return `Peer ${key.slice(0, 10)}…`;
}

function block(data: EventData<'peer.blocked'>, atMs: number): NonNullable<Peer['blocked']> {
  const { reason, by, detail, view } = data;
  return { reason, by, atMs, ...(detail !== undefined && { detail }), ...(view !== undefined && { view }) };
}

function unknownPeer(peer: string): Peer {
  return {
    peer,
    validator: null,
    role: 'unknown',
    connected: false,
    address: null,
    roundTripMs: null,
    bytesIn: 0,
    bytesOut: 0,
    framesDropped: 0,
    queuedBytes: 0,
    blocked: null,
  };
}
