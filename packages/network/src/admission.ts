/**
 * Admission: which peers may connect. Before the handshake only counts matter (arrivals.ts, handshakes.ts). The handshake proves the key,
 * which is judged before any data is read, and again once the connection is complete, as others may have taken the place.
 */
import type { ConnectionGater, MultiaddrConnection, PeerId } from '@libp2p/interface';
import type { Clock, PeerKey, Telemetry } from '@slipstream/ports';
import { createTokenBucket } from '@slipstream/primitives';
import { hostOf } from './addresses.ts';
import { type ArrivalRefusal, type Arrivals, createArrivals } from './arrivals.ts';
import { createHandshakes } from './handshakes.ts';
import { peerKeyFromId } from './identity.ts';
import { REFUSAL_EVENTS_PER_SECOND } from './limits.ts';
import type { Settings } from './options.ts';
import type { Places } from './places.ts';

export type Refusal =
  | 'unknown-key'
  | 'blocked'
  | 'full-node-limit'
  | 'connection-limit'
  | 'address-limit'
  | 'other-chain'
  | 'handshake-limit'
  | 'handshake-timeout'
  | 'handshake-flood'
  | ArrivalRefusal;

const REFUSAL_TEXT: Readonly<Record<Refusal, string>> = {
  'unknown-key': 'is neither a validator nor an admitted full node',
  blocked: 'is blocked',
  'full-node-limit': 'is a full node, and no more of them are admitted',
  'connection-limit': 'came when all connections were taken',
  'address-limit': 'came from an address with too many connections',
  'other-chain': 'runs another chain or another version of the protocol',
  'handshake-limit': 'had to make room for another handshake',
  'handshake-timeout': 'did not finish its handshake',
  'handshake-flood': 'asked for one protocol after another instead of a handshake',
  'address-rate': 'came from an address that connects too often',
  'arrival-rate': 'came when strangers connected too often',
};

/** Opening connections included. */
export interface Occupancy extends Omit<Places, 'peerToEvict'> {
  isBlocked(peer: PeerKey): boolean;
  has(peer: PeerKey): boolean;
}

export interface Admission {
  readonly gater: ConnectionGater;
  /** Undefined: admitted. Full nodes without a reserved place do not count against a peer with one. */
  judge(peer: PeerKey, host: string): Refusal | undefined;
  configure: Arrivals['configure'];
  /** Counts and reports; the caller closes. */
  refuse(reason: Refusal, peer: string, address: string): void;
  stop(): void;
}

export function createAdmission(
  {
    clock,
    telemetry,
    occupancy,
  }: { readonly clock: Clock; readonly telemetry: Telemetry; readonly occupancy: Occupancy },
  { admit, limits }: Pick<Settings, 'admit' | 'limits'>,
): Admission {
  const arrivals = createArrivals({ clock }, limits);
  const handshakes = createHandshakes({ clock, telemetry }, limits);
  const events = createTokenBucket(clock, { perSecond: REFUSAL_EVENTS_PER_SECOND, burst: REFUSAL_EVENTS_PER_SECOND });

  function refuse(reason: Refusal, peer: string, address: string): void {
    telemetry.count('network_refused_total', 1, { reason });
    if (!events.take()) return;
    telemetry.event('peer.refused', { peer, address, reason });
    telemetry.log(reason === 'other-chain' ? 'warn' : 'info', `peer ${peer} ${REFUSAL_TEXT[reason]}`, {
      peer,
      address,
      reason,
    });
  }

  function judge(peer: PeerKey, host: string): Refusal | undefined {
    if (occupancy.isBlocked(peer)) return 'blocked';
    const role = admit(peer);
    if (role === undefined) return 'unknown-key';
    // One of its two connections will close.
    if (occupancy.has(peer)) return undefined;
    const isUnknown = occupancy.isUnknown(peer);
    if (isUnknown && role === 'full-node' && occupancy.fullNodes >= limits.fullNodesMax) return 'full-node-limit';
    const [mayGo, mayGoOfHost] = isUnknown ? [0, 0] : [occupancy.unknownPeers(), occupancy.unknownPeers(host)];
    if (occupancy.connections - mayGo >= limits.connectionsMax) return 'connection-limit';
    if (occupancy.fromHost(host) - mayGoOfHost >= limits.connectionsPerAddressMax) return 'address-limit';
    return undefined;
  }

  function denyEncrypted(peerId: PeerId, connection: MultiaddrConnection): boolean {
    const peer = peerKeyFromId(peerId);
    const refusal = peer === undefined ? 'unknown-key' : judge(peer, hostOf(connection.remoteAddr));
    if (refusal === undefined) return false;
    handshakes.done(connection);
    refuse(refusal, peer ?? peerId.toString(), connection.remoteAddr.toString());
    return true;
  }

  function recordAdmitted(peerId: PeerId, connection: MultiaddrConnection): void {
    const peer = peerKeyFromId(peerId);
    if (peer !== undefined && !occupancy.isUnknown(peer)) arrivals.welcome(peer, connection);
  }

  return {
    gater: {
      denyDialMultiaddr: () => false,
      denyInboundConnection(connection) {
        const reason = arrivals.take(connection.remoteAddr);
        if (reason !== undefined) {
          telemetry.count('network_refused_total', 1, { reason }); // not logged: no key is proved yet, and a flood would fill the log
          return true;
        }
        handshakes.begin(connection);
        return false;
      },
      denyInboundEncryptedConnection: denyEncrypted,
      denyOutboundEncryptedConnection: denyEncrypted,
      // The muxer is negotiated only now, so the peer cannot stall the handshake.
      denyInboundUpgradedConnection(peerId, connection) {
        handshakes.done(connection);
        recordAdmitted(peerId, connection);
        return false;
      },
      denyOutboundUpgradedConnection(peerId, connection) {
        recordAdmitted(peerId, connection);
        return false;
      },
    },
    judge,
    configure: arrivals.configure,
    refuse,
    stop: () => handshakes.stop(),
  };
}
