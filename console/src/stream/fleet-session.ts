/** One narrow stream per node (summary and alerts), one row per node, in batches. */
import { type ConnectionState, type EventStream, openEventStream, type WebSocketConstructor } from '@slipstream/client';
import {
  type Alert,
  type Stats,
  type Status,
  type StreamEvent,
  type StreamFullState,
  statusAfter,
} from '@slipstream/schema';
import { type Batcher, createBatcher, type Timers } from './batcher.ts';
import { FLEET_INTERVAL_MS, FLEET_MAX, STALE_AFTER_MS, STALE_CHECK_MS } from './limits.ts';
import type { Connection } from './snapshot.ts';

export interface WatchedNode {
  readonly name: string;
  readonly url: string;
}

/** A node's last report. */
export interface FleetRow {
  readonly name: string;
  readonly connection: Connection;
  readonly status: Status | null;
  readonly stats: Stats | null;
  readonly alerts: readonly Alert[];
}

interface FleetSession {
  /** Streams of nodes in both sets stay open. */
  watch(nodes: readonly WatchedNode[]): void;
  stop(): void;
}

interface FleetComponents {
  readonly WebSocket: WebSocketConstructor;
  readonly timers: Timers;
  readonly post: (rows: readonly FleetRow[]) => void;
}

interface Watched {
  readonly url: string;
  readonly stream: EventStream;
  row: FleetRow;
  aliveMs: number;
}

export function startFleetSession(components: FleetComponents): FleetSession {
  return new FleetStreams(components);
}

class FleetStreams implements FleetSession {
  readonly #WebSocket: WebSocketConstructor;
  readonly #timers: Timers;
  readonly #watched = new Map<string, Watched>();
  readonly #batcher: Batcher;
  #cancelStaleCheck: () => void;

  constructor({ WebSocket, timers, post }: FleetComponents) {
    this.#WebSocket = WebSocket;
    this.#timers = timers;
    const flush = () => post([...this.#watched.values()].map(({ row }) => row));
    this.#batcher = createBatcher(timers, flush, FLEET_INTERVAL_MS);
    this.#cancelStaleCheck = timers.after(STALE_CHECK_MS, () => this.#checkStale());
  }

  watch(nodes: readonly WatchedNode[]): void {
    const wanted = nodes.slice(0, FLEET_MAX);
    for (const [name, { stream, url }] of [...this.#watched]) {
      if (wanted.some((node) => node.name === name && node.url === url)) continue;
      stream.close();
      this.#watched.delete(name);
    }
    for (const node of wanted) if (!this.#watched.has(node.name)) this.#add(node);
    this.#batcher.touch();
  }

  stop(): void {
    this.#cancelStaleCheck();
    this.#batcher.stop();
    for (const { stream } of this.#watched.values()) stream.close();
    this.#watched.clear();
  }

  #add({ name, url }: WatchedNode): void {
    const connection: Connection = { type: 'connecting', attempt: 1, lostAtMs: null };
    const row: FleetRow = { name, connection, status: null, stats: null, alerts: [] };
    const aliveMs = this.#timers.now();
    this.#watched.set(name, { url, row, aliveMs, stream: this.#open(name, url) });
  }

  #open(name: string, url: string): EventStream {
    return openEventStream({ urls: [url] }, this.#WebSocket, {
      topics: ['stats', 'alerts'],
      onConnection: (state) => this.#onConnection(name, state),
      onAlive: () => this.#onAlive(name),
      onState: (message) => this.#onState(name, message),
      onEvent: (message) => this.#onEvent(name, message),
    });
  }

  #onConnection(name: string, state: ConnectionState): void {
    if (state.type === 'live') this.#amend(name, { connection: { type: 'live' } });
    if (state.type === 'lost') {
      const { reason, retryInMs } = state;
      this.#amend(name, { connection: { type: 'lost', reason, retryInMs, lostAtMs: this.#timers.now() } });
    }
    this.#onAlive(name);
  }

  #onAlive(name: string): void {
    const node = this.#watched.get(name);
    if (node === undefined) return;
    node.aliveMs = this.#timers.now();
    if (node.row.connection.type === 'stale') this.#amend(name, { connection: { type: 'live' } });
  }

  #onState(name: string, message: StreamFullState): void {
    const { status, stats } = message.state;
    this.#amend(name, { status, stats, alerts: status.alerts });
  }

  #onEvent(name: string, { event }: StreamEvent): void {
    const row = this.#watched.get(name)?.row;
    if (!row?.status) return;
    const status = statusAfter(row.status, event);
    this.#amend(name, { status, alerts: status.alerts, ...(event.type === 'stats' && { stats: event.data }) });
  }

  #checkStale(): void {
    this.#cancelStaleCheck = this.#timers.after(STALE_CHECK_MS, () => this.#checkStale());
    for (const [name, { row, aliveMs }] of this.#watched) {
      if (row.connection.type === 'live' && this.#timers.now() - aliveMs > STALE_AFTER_MS) {
        this.#amend(name, { connection: { type: 'stale', sinceMs: aliveMs } });
      }
    }
  }

  #amend(name: string, fields: Partial<FleetRow>): void {
    const node = this.#watched.get(name);
    if (node === undefined) return;
    node.row = { ...node.row, ...fields };
    this.#batcher.touch();
  }
}
