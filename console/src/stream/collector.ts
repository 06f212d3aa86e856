/** Turns validated messages into changes. */
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
  peersAfter,
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
  type QuorumCheck,
  withRecent,
} from './snapshot.ts';
import { createViewRows } from './view-rows.ts';

interface Collector {
  connection(connection: Connection): void;
  skew(skewMs: number): void;
  malformed(count: number): void;
  /** Replaces what was known; another chain or node resets everything. */
  state(message: StreamFullState): void;
  event(message: StreamEvent): void;
  /** Since the last call; undefined: none. */
  take(): Batch | undefined;
}

interface Pending {
  reset: boolean;
  governanceChanged: boolean;
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
  return new MessageCollector();
}

type PeerEvent = NodeEvent & { type: `peer.${string}` };

class MessageCollector implements Collector {
  readonly #views = createViewRows();
  #peers = new Map<string, Peer>();
  #status: Status | undefined;
  #activityKey = 0;
  #foldMinute = createMinuteFold();
  /** Of the newest event: the past in a later state continues from there. */
  #newestMs = 0;
  #pending = nothing();
  #isDirty = false;

  connection(connection: Connection): void {
    this.#replace({ connection });
  }

  skew(skewMs: number): void {
    this.#replace({ skewMs });
  }

  malformed(count: number): void {
    this.#replace({ malformed: count });
  }

  state({ state }: StreamFullState): void {
    if (this.#isOfAnother(state.status)) this.#reset();
    this.#peers.clear();
    for (const peer of state.peers.slice(0, PEERS_MAX)) this.#peers.set(peer.peer, peer);
    this.#views.blocks(state.blocks);
    const committee: CommitteeView = state.committee;
    this.#replace({ committee, peers: [...this.#peers.values()], stats: state.stats as Stats | null });
    this.#setStatus(state.status);
    this.#pending.governanceChanged = true;
    if (state.past !== undefined)
      this.#addPast(state.past, state.blocks.at(-1)?.block.view ?? Number.POSITIVE_INFINITY);
  }

  event({ event, atMs }: StreamEvent): void {
    this.#newestMs = Math.max(this.#newestMs, atMs);
    if (this.#views.event(event, atMs)) this.#isDirty = true;
    if (this.#status !== undefined) this.#setStatus(statusAfter(this.#status, event));
    switch (event.type) {
      case 'stats':
        this.#addSecond(seriesPoint(event.data, atMs));
        this.#replace({ stats: event.data });
        break;
      case 'block.committed':
        this.#amendStatus({ height: event.data.height });
        break;
      case 'block.final':
        this.#amendStatus({ finalHeight: event.data.height });
        break;
      case 'governance.changed':
      case 'epoch.sealed':
        this.#onGovernance();
        break;
      case 'epoch.begun':
        this.#onEpoch(event.data);
        this.#onGovernance();
        break;
      case 'quorum.verified':
        this.#append(this.#pending.checks, { atMs, ...event.data }, CHECKS_MAX);
        break;
      case 'chunk.certified':
        this.#append(this.#pending.chunks, { atMs, ...event.data }, CHUNKS_MAX);
        break;
      case 'peer.connected':
      case 'peer.lost':
      case 'peer.blocked':
      case 'peer.unblocked':
        this.#onPeer(event, atMs);
        break;
      default:
      // Not shown, or taken as a view above.
    }
    this.#addActivity(event, atMs);
  }

  take(): Batch | undefined {
    const rows = this.#views.take();
    if (!this.#isDirty && rows.length === 0) return undefined;
    const { reset, governanceChanged, replace, ...append } = this.#pending;
    this.#pending = nothing();
    this.#isDirty = false;
    return { reset, governanceChanged, replace, views: rows, append };
  }

  #isOfAnother({ genesisHash, node }: Status): boolean {
    const status = this.#status;
    return status !== undefined && (status.genesisHash !== genesisHash || status.node.peer !== node.peer);
  }

  #reset(): void {
    const { connection } = this.#pending.replace;
    this.#pending = { ...nothing(), reset: true };
    if (connection) this.#replace({ connection });
    this.#views.clear();
    this.#newestMs = 0;
  }

  /** Views before `firstView` have no rows of blocks. */
  #addPast({ seconds, minutes, events }: Past, firstView: number): void {
    const points = fromSeries(seconds);
    const folded = [...fromSeries(minutes)];
    const foldedMs = folded.at(-1)?.atMs ?? 0;
    this.#foldMinute = createMinuteFold();
    for (const point of points) {
      const minute = this.#foldMinute(point);
      if (minute !== undefined && minute.atMs > foldedMs) folded.push(minute);
    }
    this.#pending.series = [];
    this.#pending.minutes = [];
    this.#replace({ series: points, minutes: folded });
    for (const { event, atMs } of events) {
      if (event.type === 'view.nullified' && event.data.view > firstView) this.#views.event(event, atMs);
      if (atMs > this.#newestMs) this.#addActivity(event, atMs);
    }
    this.#newestMs = Math.max(this.#newestMs, events.at(-1)?.atMs ?? 0);
  }

  #addSecond(point: SeriesPoint): void {
    const pending = this.#pending;
    pending.series = followedBy(pending.series, [point], SECONDS_MAX);
    const minute = this.#foldMinute(point);
    if (minute !== undefined) pending.minutes = followedBy(pending.minutes, [minute], MINUTES_MAX);
    this.#isDirty = true;
  }

  /** Also events from before the page was open. */
  #addActivity(event: NodeEvent, atMs: number): void {
    const pending = this.#pending;
    if (event.type === 'bisection') this.#append(pending.bisections, { atMs, ...event.data }, BISECTIONS_MAX);
    if (event.type === 'evidence') this.#append(pending.evidence, { atMs, ...event.data }, EVIDENCE_MAX);
    const note = noteOf(event, (key) => peerName(this.#peers.get(key), key));
    if (note === undefined) return;
    this.#activityKey += 1;
    pending.activity = withRecent(pending.activity, [{ key: this.#activityKey, atMs, ...note, times: 1 }]);
    this.#isDirty = true;
  }

  #amendStatus(fields: Partial<Status>): void {
    if (this.#status !== undefined) this.#setStatus({ ...this.#status, ...fields });
  }

  #setStatus(newer: Status): void {
    if (newer === this.#status) return;
    if (newer.alerts !== this.#status?.alerts) this.#replace({ alerts: newer.alerts.slice(-ALERTS_MAX) });
    this.#status = newer;
    this.#replace({ status: newer });
  }

  #onPeer(event: PeerEvent, atMs: number): void {
    switch (event.type) {
      case 'peer.connected':
        this.#peers.set(event.data.peer, event.data);
        break;
      case 'peer.lost':
        this.#amendPeer(event.data.peer, { connected: false, roundTripMs: null });
        break;
      case 'peer.blocked': {
        const { peer, validator } = event.data;
        this.#amendPeer(peer, { connected: false, validator, blocked: block(event.data, atMs) });
        break;
      }
      case 'peer.unblocked':
        this.#amendPeer(event.data.peer, { blocked: null });
        break;
      default:
        event satisfies never;
    }
    this.#replace({ peers: [...this.#peers.values()].slice(-PEERS_MAX) });
  }

  #onGovernance(): void {
    this.#pending.governanceChanged = true;
    this.#isDirty = true;
  }

  #onEpoch(data: EventData<'epoch.begun'>): void {
    const { epoch, totalWeight, quorumWeight, members, view: firstView } = data;
    this.#peers = new Map(peersAfter(this.#peers, data));
    const committee = { epoch, totalWeight, quorumWeight, members, firstView };
    this.#replace({ committee, peers: [...this.#peers.values()].slice(-PEERS_MAX) });
  }

  #amendPeer(key: string, fields: Partial<Peer>): void {
    this.#peers.set(key, { ...(this.#peers.get(key) ?? unknownPeer(key)), ...fields });
  }

  #replace(fields: Batch['replace']): void {
    Object.assign(this.#pending.replace, fields);
    this.#isDirty = true;
  }

  #append<T>(list: T[], item: T, max: number): void {
    list.push(item);
    if (list.length > max) list.shift();
    this.#isDirty = true;
  }
}

function nothing(): Pending {
  const lists = { series: [], minutes: [], checks: [], bisections: [], evidence: [], chunks: [], activity: [] };
  return { reset: false, governanceChanged: false, replace: {}, ...lists };
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
