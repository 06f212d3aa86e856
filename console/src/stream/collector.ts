/** Collector: takes validated messages and returns the changes since the last call. */
import {
  type CommitteeView,
  createMinuteFold,
  type EventData,
  followedBy,
  fromSeries,
  MINUTES_MAX,
  type NodeEvent,
  type Past,
  type Peer,
  SECONDS_MAX,
  type SeriesPoint,
  type Stats,
  type Status,
  type StreamEvent,
  type StreamFullState,
  seriesPoint,
  statusAfter,
} from '@slipstream/schema';
import { ALERTS_MAX, BISECTIONS_MAX, CHECKS_MAX, CHUNKS_MAX, EVIDENCE_MAX, PEERS_MAX } from './limits.ts';
import { noteOf, peerName } from './notes.ts';
import {
  type Activity,
  type Batch,
  type Bisection,
  type ChunkNote,
  type Connection,
  type EvidenceNote,
  noticed,
  type QuorumCheck,
} from './snapshot.ts';
import { createViewRows } from './view-rows.ts';

export interface Collector {
  connection(connection: Connection): void;
  skew(skewMs: number): void;
  malformed(count: number): void;
  /** The full state replaces what was known; another chain or node resets everything. */
  state(message: StreamFullState): void;
  event(message: StreamEvent): void;
  /** The changes since the last call; undefined when there are none. */
  take(): Batch | undefined;
}

interface Pending {
  reset: boolean;
  replace: { -readonly [K in keyof Batch['replace']]: Batch['replace'][K] };
  series: readonly SeriesPoint[];
  minutes: readonly SeriesPoint[];
  checks: QuorumCheck[];
  bisections: Bisection[];
  evidence: EvidenceNote[];
  chunks: ChunkNote[];
  activity: readonly Activity[];
}

export function createCollector(): Collector {
  const views = createViewRows();
  const peers = new Map<string, Peer>();
  let status: Status | undefined;
  let activityKey = 0;
  let foldMinute = createMinuteFold();
  /** Time of the newest event: the past in a later state continues from there. */
  let newestMs = 0;
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

  function state({ state }: StreamFullState): void {
    if (status && (status.genesisHash !== state.status.genesisHash || status.node.peer !== state.status.node.peer)) {
      const { connection } = pending.replace;
      pending = { ...nothing(), reset: true };
      if (connection) replace({ connection });
      views.clear();
      newestMs = 0;
    }
    peers.clear();
    for (const peer of state.peers.slice(0, PEERS_MAX)) peers.set(peer.peer, peer);
    views.blocks(state.blocks);
    const committee: CommitteeView = state.committee;
    replace({ committee, peers: [...peers.values()], stats: state.stats as Stats | null });
    keep(state.status);
    if (state.past !== undefined) past(state.past, state.blocks.at(-1)?.block.view ?? Number.POSITIVE_INFINITY);
  }

  /** Views before `firstView` have no rows of blocks. */
  function past({ seconds, minutes, events }: Past, firstView: number): void {
    const points = fromSeries(seconds);
    const folded = [...fromSeries(minutes)];
    const foldedMs = folded.at(-1)?.atMs ?? 0;
    foldMinute = createMinuteFold();
    for (const point of points) {
      const minute = foldMinute(point);
      if (minute !== undefined && minute.atMs > foldedMs) folded.push(minute);
    }
    pending.series = [];
    pending.minutes = [];
    replace({ series: points, minutes: folded });
    for (const { event, atMs } of events) {
      if (event.type === 'view.nullified' && event.data.view > firstView) views.event(event, atMs);
      if (atMs > newestMs) remember(event, atMs);
    }
    newestMs = Math.max(newestMs, events.at(-1)?.atMs ?? 0);
  }

  function event({ event, atMs }: StreamEvent): void {
    newestMs = Math.max(newestMs, atMs);
    if (views.event(event, atMs)) dirty = true;
    if (status !== undefined) keep(statusAfter(status, event));
    switch (event.type) {
      case 'stats':
        second(seriesPoint(event.data, atMs));
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
      case 'chunk.certified':
        append(pending.chunks, { atMs, ...event.data }, CHUNKS_MAX);
        break;
      case 'peer.connected':
      case 'peer.lost':
      case 'peer.blocked':
      case 'peer.unblocked':
        peer(event, atMs);
        break;
      default:
      // Not shown here, or already taken as a view above.
    }
    remember(event, atMs);
  }

  function second(point: SeriesPoint): void {
    pending.series = followedBy(pending.series, [point], SECONDS_MAX);
    const minute = foldMinute(point);
    if (minute !== undefined) pending.minutes = followedBy(pending.minutes, [minute], MINUTES_MAX);
    dirty = true;
  }

  /** Adds an event to the lists, whether it is current or from before the page was open. */
  function remember(event: NodeEvent, atMs: number): void {
    if (event.type === 'bisection') append(pending.bisections, { atMs, ...event.data }, BISECTIONS_MAX);
    if (event.type === 'evidence') append(pending.evidence, { atMs, ...event.data }, EVIDENCE_MAX);
    const note = noteOf(event, (key) => peerName(peers.get(key), key));
    if (note === undefined) return;
    activityKey += 1;
    pending.activity = noticed(pending.activity, [{ key: activityKey, atMs, ...note, times: 1 }]);
    dirty = true;
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

  function peer(event: NodeEvent & { type: `peer.${string}` }, atMs: number): void {
    switch (event.type) {
      case 'peer.connected':
        peers.set(event.data.peer, event.data);
        break;
      case 'peer.lost':
        amend(event.data.peer, { connected: false, roundTripMs: null });
        break;
      case 'peer.blocked': {
        amend(event.data.peer, { connected: false, validator: event.data.validator, blocked: block(event.data, atMs) });
        break;
      }
      case 'peer.unblocked':
        amend(event.data.peer, { blocked: null });
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
  const lists = { series: [], minutes: [], checks: [], bisections: [], evidence: [], chunks: [], activity: [] };
  return { reset: false, replace: {}, ...lists };
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
