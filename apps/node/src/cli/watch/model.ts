/** Reduces a node's state and events to a plain value. */

import type { ConnectionState } from '@slipstream/client';
import { counted } from '@slipstream/primitives';
import {
  type Alert,
  type EventData,
  type Peer,
  peersAfter,
  type Stats,
  type Status,
  type StreamEvent,
  type StreamFullState,
  statusAfter,
} from '@slipstream/schema';

export interface WatchedNode {
  readonly connection: ConnectionState;
  readonly status: Status | undefined;
  readonly stats: Stats | undefined;
  readonly statsAtMs: number | undefined;
  readonly peers: ReadonlyMap<string, Peer>;
  readonly alerts: ReadonlyMap<string, Alert>;
  /** In the last SAMPLES_MAX seconds, oldest first. */
  readonly blockRates: readonly number[];
  /** Newest first. */
  readonly notes: readonly Note[];
}

export interface Note {
  readonly atMs: number;
  readonly text: string;
}

const SAMPLES_MAX = 60;
const NOTES_MAX = 8;

export const NOTHING_SEEN: WatchedNode = {
  connection: { type: 'connecting', attempt: 1 },
  status: undefined,
  stats: undefined,
  statsAtMs: undefined,
  peers: new Map(),
  alerts: new Map(),
  blockRates: [],
  notes: [],
};

export function withState(seen: WatchedNode, { state, atMs }: StreamFullState): WatchedNode {
  return {
    ...seen,
    status: state.status,
    stats: state.stats ?? undefined,
    statsAtMs: atMs,
    peers: new Map(state.peers.map((peer) => [peer.peer, peer])),
    alerts: new Map(state.status.alerts.map((alert) => [alert.rule, alert])),
  };
}

export function withEvent(seen: WatchedNode, { event, atMs }: StreamEvent): WatchedNode {
  switch (event.type) {
    case 'stats': {
      const stats = event.data as Stats;
      const blockRates = [...seen.blockRates, stats.blocksPerSecond].slice(-SAMPLES_MAX);
      return { ...seen, stats, statsAtMs: atMs, blockRates };
    }
    case 'alert.raised': {
      const alert = event.data as Alert;
      return noted({ ...seen, alerts: new Map(seen.alerts).set(alert.rule, alert) }, atMs, `alert: ${alert.message}`);
    }
    case 'alert.changed': {
      const alert = event.data as Alert;
      return { ...seen, alerts: new Map(seen.alerts).set(alert.rule, alert) };
    }
    case 'alert.cleared': {
      const { rule } = event.data as { readonly rule: string };
      const alerts = new Map(seen.alerts);
      alerts.delete(rule);
      return noted({ ...seen, alerts }, atMs, `cleared: ${rule}`);
    }
    case 'peer.connected': {
      const peer = event.data as Peer;
      return noted({ ...seen, peers: new Map(seen.peers).set(peer.peer, peer) }, atMs, `connected: ${nameOf(peer)}`);
    }
    case 'peer.lost': {
      const { peer, reason } = event.data as { readonly peer: string; readonly reason: string };
      const known = seen.peers.get(peer);
      const peers = new Map(seen.peers);
      if (known) peers.set(peer, { ...known, connected: false });
      return noted({ ...seen, peers }, atMs, `lost: ${known ? nameOf(known) : peer.slice(0, 10)}: ${reason}`);
    }
    case 'peer.blocked': {
      const { peer, reason } = event.data as { readonly peer: string; readonly reason: string };
      return noted(seen, atMs, `BLOCKED: ${peer.slice(0, 10)}: ${reason}`);
    }
    case 'epoch.begun': {
      const begun = event.data as EventData<'epoch.begun'>;
      const text = `epoch ${begun.epoch} began: ${counted(begun.members.length, 'validator')}`;
      const { status } = seen;
      return noted(
        { ...seen, peers: peersAfter(seen.peers, begun), status: status && statusAfter(status, event) },
        atMs,
        text,
      );
    }
    case 'view.nullified': {
      const { view, leader, reason } = event.data as { view: number; leader: number; reason: string };
      return noted(seen, atMs, `view ${view} of validator ${leader} nullified: ${reason}`);
    }
    case 'bisection': {
      const { view, offenders } = event.data as { view: number; offenders: readonly number[] };
      return noted(seen, atMs, `invalid votes in view ${view} of validators ${offenders.join(', ')}`);
    }
    default:
      return seen;
  }
}

export function withConnection(seen: WatchedNode, connection: ConnectionState): WatchedNode {
  return { ...seen, connection };
}

export function withMalformed(seen: WatchedNode, fault: string, atMs: number): WatchedNode {
  return noted(seen, atMs, `malformed, left out: ${fault}`);
}

export function nameOf({ peer, validator }: Pick<Peer, 'peer' | 'validator'>): string {
  return validator === null ? peer.slice(0, 10) : `validator ${validator}`;
}

function noted(seen: WatchedNode, atMs: number, text: string): WatchedNode {
  return { ...seen, notes: [{ atMs, text }, ...seen.notes].slice(0, NOTES_MAX) };
}
