/** Fleet session: one narrow stream per node (summary and alerts), one row per node, batched a few times per second. */
import { type EventStream, openEventStream, type WebSocketConstructor } from '@slipstream/client';
import { type Alert, type Stats, type Status, type StreamEvent, statusAfter } from '@slipstream/schema';
import { createBatcher, type Timers } from './batcher.ts';
import { FLEET_INTERVAL_MS, FLEET_MAX, STALE_AFTER_MS, STALE_CHECK_MS } from './limits.ts';
import type { Connection } from './snapshot.ts';
import { createMessageChecks } from './validate.ts';

export interface WatchedNode {
  readonly name: string;
  readonly url: string;
}

/** The last report of a node of the fleet. */
export interface FleetRow {
  readonly name: string;
  readonly connection: Connection;
  readonly status: Status | null;
  readonly stats: Stats | null;
  readonly alerts: readonly Alert[];
}

export interface FleetSession {
  /** Replaces the set of nodes; streams of nodes in both sets stay open. */
  watch(nodes: readonly WatchedNode[]): void;
  stop(): void;
}

export interface FleetComponents {
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

export function startFleetSession({ WebSocket, timers, post }: FleetComponents): FleetSession {
  const checks = createMessageChecks();
  const watched = new Map<string, Watched>();
  const batcher = createBatcher(timers, () => post([...watched.values()].map(({ row }) => row)), FLEET_INTERVAL_MS);
  let cancelLook = timers.after(STALE_CHECK_MS, look);

  function amend(name: string, fields: Partial<FleetRow>): void {
    const node = watched.get(name);
    if (node === undefined) return;
    node.row = { ...node.row, ...fields };
    batcher.touch();
  }

  function alive(name: string): void {
    const node = watched.get(name);
    if (node === undefined) return;
    node.aliveMs = timers.now();
    if (node.row.connection.type === 'stale') amend(name, { connection: { type: 'live' } });
  }

  function open({ name, url }: WatchedNode): EventStream {
    return openEventStream({ urls: [url] }, WebSocket, {
      topics: ['stats', 'alerts'],
      onConnection(state) {
        if (state.type === 'live') amend(name, { connection: { type: 'live' } });
        if (state.type === 'lost') {
          const { reason, retryInMs } = state;
          amend(name, { connection: { type: 'lost', reason, retryInMs, lostAtMs: timers.now() } });
        }
        alive(name);
      },
      onAlive: () => alive(name),
      onState(message) {
        if (checks.state(message) === undefined) return;
        const { status, stats } = message.state;
        amend(name, { status, stats, alerts: status.alerts });
      },
      onEvent(message) {
        if (checks.event(message) === 'valid') takeEvent(name, message);
      },
    });
  }

  function takeEvent(name: string, { event }: StreamEvent): void {
    const row = watched.get(name)?.row;
    if (!row?.status) return;
    const status = statusAfter(row.status, event);
    amend(name, { status, alerts: status.alerts, ...(event.type === 'stats' && { stats: event.data }) });
  }

  function look(): void {
    cancelLook = timers.after(STALE_CHECK_MS, look);
    for (const [name, { row, aliveMs }] of watched) {
      if (row.connection.type === 'live' && timers.now() - aliveMs > STALE_AFTER_MS) {
        amend(name, { connection: { type: 'stale', sinceMs: aliveMs } });
      }
    }
  }

  function watch(nodes: readonly WatchedNode[]): void {
    const wanted = nodes.slice(0, FLEET_MAX);
    for (const [name, { stream, url }] of [...watched]) {
      if (wanted.some((node) => node.name === name && node.url === url)) continue;
      stream.close();
      watched.delete(name);
    }
    for (const node of wanted) {
      if (watched.has(node.name)) continue;
      const connection: Connection = { type: 'connecting', attempt: 1, lostAtMs: null };
      const row: FleetRow = { name: node.name, connection, status: null, stats: null, alerts: [] };
      watched.set(node.name, { url: node.url, row, aliveMs: timers.now(), stream: open(node) });
    }
    batcher.touch();
  }

  return {
    watch,
    stop() {
      cancelLook();
      batcher.stop();
      for (const { stream } of watched.values()) stream.close();
      watched.clear();
    },
  };
}
