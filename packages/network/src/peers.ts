import type { Lane, PeerKey, PeerStatus, Telemetry } from '@slipstream/ports';
import { createLaneTraffic, type Traffic } from './lane-traffic.ts';
import { BLOCKED_MAX } from './limits.ts';
import type { Link } from './link.ts';
import type { Role, Settings } from './options.ts';
import { createOutbox, type Outbox } from './outbox.ts';

export interface Peer {
  readonly key: PeerKey;
  readonly outbox: Outbox;
  /** The last event was `connected`, not `lost`. */
  connected: boolean;
  /** Carries frames; undefined while one of two simultaneous dials replaces the other. */
  current: Link | undefined;
  readonly opening: Set<Link>;
  blocked: boolean;
  bytesIn: number;
  framesIn: number;
  bytesOut: number;
  framesOut: number;
  framesDropped: number;
}

export interface PeerTable {
  get(key: PeerKey): Peer | undefined;
  ensure(key: PeerKey): Peer;
  /** Drops an unused record. Listed and blocked peers stay. */
  release(peer: Peer, listed: boolean): void;
  block(key: PeerKey): Peer;
  values(): IterableIterator<Peer>;
  received(from: PeerKey, lane: Lane, bytes: number): void;
  traffic(): Traffic;
  role(key: PeerKey): Role | 'unknown';
  status(peer: Peer, listedAddress: string | undefined, failure: string | undefined): PeerStatus;
}

export function createPeerTable(telemetry: Telemetry, settings: Settings): PeerTable {
  const peers = new Map<PeerKey, Peer>();
  const traffic = createLaneTraffic();

  function ensure(key: PeerKey): Peer {
    const known = peers.get(key);
    if (known !== undefined) return known;
    const outbox = createOutbox(settings.queues, {
      dropped(lane, frames) {
        peer.framesDropped += frames;
        telemetry.count('network_frames_dropped_total', frames, { lane });
      },
      sent(lane, frames, bytes) {
        traffic.sent(lane, frames, bytes);
        peer.framesOut += frames;
        peer.bytesOut += bytes;
      },
    });
    const none = { bytesIn: 0, framesIn: 0, bytesOut: 0, framesOut: 0, framesDropped: 0 };
    const peer: Peer = {
      key,
      outbox,
      connected: false,
      current: undefined,
      opening: new Set(),
      blocked: false,
      ...none,
    };
    peers.set(key, peer);
    return peer;
  }

  function block(key: PeerKey): Peer {
    const peer = ensure(key);
    peer.blocked = true;
    let blocked = 0;
    for (const other of peers.values()) if (other.blocked) blocked++;
    if (blocked > BLOCKED_MAX) unblockOldestFullNode(peer);
    return peer;
  }

  /** Of full nodes, which can use any number of keys; validators stay blocked. */
  function unblockOldestFullNode(except: Peer): void {
    for (const other of peers.values()) {
      if (!other.blocked || other === except || settings.admit(other.key) === 'validator') continue;
      other.blocked = false;
      peers.delete(other.key);
      return;
    }
  }

  return {
    get: (key) => peers.get(key),
    ensure,
    release(peer, listed) {
      if (!listed && !peer.blocked && peer.current === undefined && peer.opening.size === 0) peers.delete(peer.key);
    },
    block,
    values: () => peers.values(),
    received(from, lane, bytes) {
      const peer = ensure(from);
      peer.framesIn++;
      peer.bytesIn += bytes;
      traffic.received(lane, bytes);
    },
    traffic: traffic.read,
    role: (key) => settings.admit(key) ?? 'unknown',
    status: (peer, listedAddress, failure) => ({
      peer: peer.key,
      connected: peer.connected,
      blocked: peer.blocked,
      address: peer.current?.address ?? listedAddress,
      ...(peer.connected || peer.blocked || failure === undefined ? {} : { failure }),
      role: settings.admit(peer.key) ?? 'unknown',
      roundTripMs: peer.current?.roundTripMs,
      bytesIn: peer.bytesIn,
      bytesOut: peer.bytesOut,
      framesIn: peer.framesIn,
      framesOut: peer.framesOut,
      framesDropped: peer.framesDropped,
      queuedBytes: peer.outbox.queuedBytes,
    }),
  };
}
