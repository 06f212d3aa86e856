/**
 * One connection a pair.
 *
 * Two peers that dial each other at once get two connections. Both ends see both and must keep the same one: the one that
 * the smaller key dialled. That holds for connections of nearly the same time; a peer that connects later has lost its side
 * of the old connection, so the newer one wins.
 */
import type { Connection, Stream } from '@libp2p/interface';
import type { Clock, Lane, PeerEvent, PeerKey, Random, Telemetry } from '@slipstream/ports';
import { hostOf } from './addresses.ts';
import type { Occupancy, Refusal } from './admission.ts';
import { abortConnection } from './closing.ts';
import { openFailure } from './dial-failure.ts';
import type { Dialler } from './dialler.ts';
import { peerKeyFromId } from './identity.ts';
import { createLaneQuotas } from './lane-quotas.ts';
import { OPENINGS_PER_PEER_MAX, SIMULTANEOUS_DIAL_MS } from './limits.ts';
import { createLink, type Link, type LinkEnd, type LinkEvents } from './link.ts';
import type { Settings } from './options.ts';
import type { Peer, PeerTable } from './peers.ts';
import { createPlaces } from './places.ts';
import type { Protocols } from './protocols.ts';

export interface Connections extends Occupancy {
  opened(connection: Connection): void;
  stream(lane: Lane | 'ping', stream: Stream, connection: Connection): void;
  /** Whether a connection is there, opening ones included. */
  has(peer: PeerKey): boolean;
  close(peer: Peer, reason: LinkEnd): void;
  closeAll(reason: LinkEnd): void;
}

export interface ConnectionsComponents {
  readonly clock: Clock;
  readonly random: Random;
  readonly telemetry: Telemetry;
  readonly self: PeerKey;
  readonly peers: PeerTable;
  readonly protocols: Protocols;
  /** Admission's word, once more. */
  judge(peer: PeerKey, host: string): Refusal | undefined;
  refuse(reason: Refusal, peer: string, address: string): void;
  frame(from: PeerKey, lane: Lane, frame: Uint8Array): void;
  tell(event: PeerEvent): void;
  /** A connection to this peer is gone. */
  readonly ended: Dialler['ended'];
  /** This node dials it by configuration: its record stays, and it has a place of its own. */
  listed(peer: PeerKey): boolean;
}

export function createConnections(components: ConnectionsComponents, settings: Settings): Connections {
  const { clock, random, telemetry, self, peers, protocols, tell } = components;
  const links = new Map<string, Link>();
  const places = createPlaces(links, components, settings);
  const quotas = createLaneQuotas(settings, clock);

  const events: LinkEvents = {
    opened: choose,
    closed,
    frame(link, lane, frame) {
      const peer = peers.ensure(link.peer);
      peer.framesIn++;
      peer.bytesIn += frame.length;
      components.frame(link.peer, lane, frame);
    },
    offence(link, { reason, detail }) {
      telemetry.count('network_offences_total', 1, { reason });
      telemetry.log('warn', `peer ${link.peer} broke the framing: ${detail}`, { peer: link.peer, reason });
      tell({ type: 'offence', peer: link.peer, reason, detail });
    },
    otherChain(link) {
      components.refuse('other-chain', link.peer, link.address);
    },
    throttled(_link, lane) {
      telemetry.count('network_quota_waits_total', 1, { lane });
    },
  };

  function opened(connection: Connection): void {
    const key = peerKeyFromId(connection.remotePeer);
    const host = hostOf(connection.remoteAddr);
    const refusal = key === undefined ? 'unknown-key' : components.judge(key, host);
    if (key === undefined || refusal !== undefined) {
      components.refuse(refusal ?? 'unknown-key', connection.remotePeer.toString(), connection.remoteAddr.toString());
      abortConnection(connection, 'not admitted');
      return;
    }
    const link = createLink({ clock, random, connection, peer: key, host, protocols, settings, quotas, events });
    links.set(link.id, link);
    const peer = peers.ensure(key);
    peer.opening.add(link);
    if (peer.opening.size > OPENINGS_PER_PEER_MAX) [...peer.opening][0]?.close('another connection took over');
    makeRoomFor(link);
  }

  function makeRoomFor(link: Link): void {
    for (let key = places.inTheWay(link); key !== undefined; key = places.inTheWay(link)) {
      telemetry.count('network_displaced_total');
      telemetry.log('info', `peer ${key} gave its place to ${link.peer}, which has a right to one`, { peer: key });
      close(peers.ensure(key), 'displaced');
    }
  }

  /** The smaller key's dial, of two. */
  function preferred(link: Link): boolean {
    return link.outbound === self < link.peer;
  }

  function choose(link: Link): void {
    const peer = peers.ensure(link.peer);
    const rival = peer.current;
    if (rival === undefined) {
      take(peer, link);
      if (!peer.connected) tellConnected(peer, link);
      link.activate();
      return;
    }
    const simultaneous = (link.openedMs ?? 0) - (rival.openedMs ?? 0) < SIMULTANEOUS_DIAL_MS;
    if (simultaneous && rival.outbound !== link.outbound) {
      if (!preferred(link)) {
        link.close('another connection took over');
        return;
      }
      take(peer, link);
      rival.close('another connection took over');
      link.activate();
      return;
    }
    rival.close('another connection took over');
    take(peer, link);
    tellConnected(peer, link);
    link.activate();
  }

  function take(peer: Peer, link: Link): void {
    peer.opening.delete(link);
    peer.current = link;
    peer.outbox.attach(link.sending);
  }

  function tellConnected(peer: Peer, link: Link): void {
    peer.connected = true;
    telemetry.count('network_connections_total');
    telemetry.event('peer.connected', { peer: link.peer, address: link.address });
    tell({ type: 'connected', peer: link.peer });
  }

  function tellLost(peer: Peer, reason: LinkEnd): void {
    peer.connected = false;
    peer.outbox.clear();
    telemetry.event('peer.lost', { peer: peer.key, reason });
    tell({ type: 'lost', peer: peer.key, reason });
  }

  /** The peer has closed one of two simultaneous dials, and the other is about to open here. */
  function takeoverIsNear(peer: Peer, link: Link, reason: LinkEnd): boolean {
    if (reason !== 'closed by the peer' || link.openedMs === undefined) return false;
    if (clock.monotonicMs() - link.openedMs >= SIMULTANEOUS_DIAL_MS) return false;
    for (const other of peer.opening) if (other.outbound !== link.outbound) return true;
    return false;
  }

  function closed(link: Link, reason: LinkEnd): void {
    links.delete(link.id);
    const peer = peers.ensure(link.peer);
    peer.opening.delete(link);
    if (peer.current === link) {
      peer.current = undefined;
      peer.outbox.detach();
      if (!takeoverIsNear(peer, link, reason)) tellLost(peer, reason);
    } else if (peer.connected && peer.current === undefined && peer.opening.size === 0) {
      tellLost(peer, reason);
    }
    const { openedMs } = link;
    const how = openedMs === undefined ? { failure: openFailure(reason) } : { livedMs: clock.monotonicMs() - openedMs };
    components.ended(link.peer, how);
    peers.release(peer, components.listed(link.peer));
  }

  function close(peer: Peer, reason: LinkEnd): void {
    for (const link of peer.opening) link.close(reason);
    peer.current?.close(reason);
  }

  return {
    opened,
    stream(lane, stream, connection) {
      const link = links.get(connection.id);
      if (link === undefined) stream.abort(new Error('the connection is closed'));
      else link.accept(lane, stream);
    },
    has(key) {
      const peer = peers.get(key);
      return peer !== undefined && (peer.current !== undefined || peer.opening.size > 0);
    },
    close,
    closeAll(reason) {
      for (const link of [...links.values()]) link.close(reason);
    },
    get connections() {
      return places.connections;
    },
    get fullNodes() {
      return places.fullNodes;
    },
    fromHost: places.fromHost,
    strangers: places.strangers,
    isStranger: places.isStranger,
    isBlocked: (key) => peers.get(key)?.blocked === true,
  };
}
