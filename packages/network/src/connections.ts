/**
 * Connections of this node, from arrival to end.
 *
 *   opened --> judged once more --> link --> opened: chosen as its peer's one (link-choice.ts) --> frames --> closed
 */
import type { Connection, Stream } from '@libp2p/interface';
import type { Lane, PeerKey, Random } from '@slipstream/ports';
import { hostOf } from './addresses.ts';
import type { Occupancy, Refusal } from './admission.ts';
import { abortConnection } from './closing.ts';
import { peerKeyFromId } from './identity.ts';
import { createLaneQuotas } from './lane-quotas.ts';
import { OPENINGS_PER_PEER_MAX } from './limits.ts';
import { createLink, type Link, type LinkEnd, type LinkEvents } from './link.ts';
import { createLinkChoice, type LinkChoiceComponents } from './link-choice.ts';
import type { Settings } from './options.ts';
import type { Peer } from './peers.ts';
import { createPlaces } from './places.ts';
import type { Protocols } from './protocols.ts';
import { createUnfinishedFrames } from './unfinished-frames.ts';

export interface Connections extends Occupancy {
  opened(connection: Connection): void;
  stream(lane: Lane | 'ping', stream: Stream, connection: Connection): void;
  has(peer: PeerKey): boolean;
  close(peer: Peer, reason: LinkEnd): void;
  closeAll(reason: LinkEnd): void;
  /** Ends what is not admitted any more, and what was admitted in another role: its quotas are of that role. */
  rolesChanged(): void;
}

interface ConnectionsComponents extends LinkChoiceComponents {
  readonly random: Random;
  readonly protocols: Protocols;
  /** Others may have taken the place since the handshake. */
  judge(peer: PeerKey, host: string): Refusal | undefined;
  refuse(reason: Refusal, peer: string, address: string): void;
  frame(from: PeerKey, lane: Lane, frame: Uint8Array): void;
}

export function createConnections(components: ConnectionsComponents, settings: Settings): Connections {
  const { clock, random, telemetry, peers, protocols, report } = components;
  const links = new Map<string, Link>();
  const places = createPlaces(links, components, settings);
  const quotas = createLaneQuotas(settings, clock);
  const choice = createLinkChoice(components);
  const unfinished = createUnfinishedFrames(settings.limits.unfinishedBytesMax, () =>
    telemetry.count('network_unfinished_dropped_total'),
  );

  const events: LinkEvents = {
    opened: choice.choose,
    closed(link, reason) {
      links.delete(link.id);
      choice.closed(link, reason);
    },
    frame(link, lane, frame) {
      peers.received(link.peer, lane, frame.length);
      components.frame(link.peer, lane, frame);
    },
    offence(link, { reason, detail }) {
      telemetry.count('network_offences_total', 1, { reason });
      telemetry.log('warn', `peer ${link.peer} broke the framing: ${detail}`, { peer: link.peer, reason });
      report({ type: 'offence', peer: link.peer, reason, detail });
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
    const parts = { clock, random, connection, peer: key, host, protocols, settings, quotas, unfinished, events };
    const link = createLink(parts);
    links.set(link.id, link);
    const peer = peers.ensure(key);
    peer.opening.add(link);
    if (peer.opening.size > OPENINGS_PER_PEER_MAX) [...peer.opening][0]?.close('another connection took over');
    freePlaceFor(link);
  }

  function freePlaceFor(link: Link): void {
    for (let key = places.peerToEvict(link); key !== undefined; key = places.peerToEvict(link)) {
      telemetry.count('network_displaced_total');
      telemetry.log('info', `peer ${key} gave its place to ${link.peer}, which has a right to one`, { peer: key });
      close(peers.ensure(key), 'displaced');
    }
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
    rolesChanged() {
      for (const link of [...links.values()]) {
        const role = settings.admit(link.peer);
        if (role === undefined) link.close('not admitted any more');
        else if (role !== link.role) link.close('another role');
      }
    },
    get connections() {
      return places.connections;
    },
    get fullNodes() {
      return places.fullNodes;
    },
    fromHost: places.fromHost,
    unknownPeers: places.unknownPeers,
    isUnknown: places.isUnknown,
    isBlocked: (key) => peers.get(key)?.blocked === true,
  };
}
