/**
 * Rate of incoming connections: a bucket per address, and one shared by all unknown addresses.
 *
 *   inbound --of its address?--> --known?--> handshake
 *               \                   \--no, shared bucket?--> handshake
 *                \--empty: address-rate     \--empty: arrival-rate
 *
 * A handshake costs this node a key agreement and a signature, its requester 62 bytes; addresses are cheap too. An address is known when a
 * peer with a right to a place connected from it or was reached at it, or when it is configured. So a flood keeps no such peer out.
 */
import type { MultiaddrConnection } from '@libp2p/interface';
import type { Multiaddr } from '@multiformats/multiaddr';
import type { Clock, PeerKey } from '@slipstream/ports';
import { createRateLimiter, createTokenBucket } from '@slipstream/primitives';
import { networkOf } from './addresses.ts';
import { ARRIVAL_ADDRESSES_MAX } from './limits.ts';
import type { ConnectionLimits } from './options.ts';

export type ArrivalRefusal = 'address-rate' | 'arrival-rate';

export interface Arrivals {
  /** Undefined: counted, and a handshake may begin. */
  take(address: Multiaddr): ArrivalRefusal | undefined;
  /** A peer with a right to its place has proved its key. */
  welcome(peer: PeerKey, connection: Pick<MultiaddrConnection, 'direction' | 'remoteAddr'>): void;
  /** Host names count only after a dial. */
  configure(addresses: readonly Multiaddr[]): void;
}

export function createArrivals(
  { clock }: { readonly clock: Pick<Clock, 'monotonicMs'> },
  limits: Pick<ConnectionLimits, 'arrivalsPerAddress' | 'unknownPeerArrivals'>,
): Arrivals {
  const ofAddress = createRateLimiter<string>(clock, {
    rate: limits.arrivalsPerAddress,
    keysMax: ARRIVAL_ADDRESSES_MAX,
  });
  const ofUnknownPeers = createTokenBucket(clock, limits.unknownPeerArrivals);
  /** By direction and peer; at most twice the committee and the configuration. */
  const knownAddresses = new Map<string, string>();
  let configured: readonly string[] = [];
  let known: ReadonlySet<string> = new Set();

  return {
    take(address) {
      const network = networkOf(address);
      if (ofAddress.left(network) < 1) return 'address-rate';
      if (!known.has(network) && !ofUnknownPeers.take()) return 'arrival-rate';
      ofAddress.take(network);
      return undefined;
    },
    welcome(peer, { direction, remoteAddr }) {
      const [name, network] = [`${direction} ${peer}`, networkOf(remoteAddr)];
      if (knownAddresses.get(name) === network) return;
      knownAddresses.set(name, network);
      known = new Set([...configured, ...knownAddresses.values()]);
    },
    configure(addresses) {
      configured = addresses.map(networkOf);
      known = new Set([...configured, ...knownAddresses.values()]);
    },
  };
}
