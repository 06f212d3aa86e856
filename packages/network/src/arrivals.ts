/**
 * How often connections come in: a bucket for each address, and one for the addresses of all strangers together.
 *
 *   inbound --of its address?--> --known?--> handshake
 *               \                   \--no, of strangers?--> handshake
 *                \--empty: address-rate     \--empty: arrival-rate
 *
 * How many handshakes are open at once is bounded elsewhere (handshakes.ts). One that is answered at once costs a key agreement and a
 * signature here, and whoever asks for it 62 bytes. Addresses are cheap as well: so strangers share a bucket. Known is where a peer
 * with a right to its place has connected from or was found, and where the configuration says that one is: a flood from elsewhere
 * keeps none of them out.
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
  /** Why a connection from here may not begin its handshake now; undefined when it may, and then it is counted. */
  take(address: Multiaddr): ArrivalRefusal | undefined;
  /** A peer with a right to its place has proved its key. Of each the last address is kept, one for either direction. */
  welcome(peer: PeerKey, connection: Pick<MultiaddrConnection, 'direction' | 'remoteAddr'>): void;
  /** Replaces the addresses of the configuration. Names are no addresses: what they stand for is known once it was dialled. */
  configure(addresses: readonly Multiaddr[]): void;
}

export function createArrivals(
  { clock }: { readonly clock: Pick<Clock, 'monotonicMs'> },
  limits: Pick<ConnectionLimits, 'arrivalsPerAddress' | 'strangerArrivals'>,
): Arrivals {
  const ofAddress = createRateLimiter<string>(clock, {
    rate: limits.arrivalsPerAddress,
    keysMax: ARRIVAL_ADDRESSES_MAX,
  });
  const ofStrangers = createTokenBucket(clock, limits.strangerArrivals);
  /** By direction and peer: as many as the committee and the configuration have, twice. */
  const met = new Map<string, string>();
  let configured: readonly string[] = [];
  let known: ReadonlySet<string> = new Set();

  return {
    take(address) {
      const network = networkOf(address);
      if (ofAddress.left(network) < 1) return 'address-rate';
      if (!known.has(network) && !ofStrangers.take()) return 'arrival-rate';
      ofAddress.take(network);
      return undefined;
    },
    welcome(peer, { direction, remoteAddr }) {
      const [name, network] = [`${direction} ${peer}`, networkOf(remoteAddr)];
      if (met.get(name) === network) return;
      met.set(name, network);
      known = new Set([...configured, ...met.values()]);
    },
    configure(addresses) {
      configured = addresses.map(networkOf);
      known = new Set([...configured, ...met.values()]);
    },
  };
}
