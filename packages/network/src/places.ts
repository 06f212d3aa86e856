/**
 * Places: the use of each connection limit, and which full node gives way.
 *
 * Validators, configured peers and reserved full nodes have a right to a place. Another full node loses its place to one of them when none
 * is left; the one with the fewest bytes exchanged goes first.
 */
import type { PeerKey } from '@slipstream/ports';
import type { Link } from './link.ts';
import type { Settings } from './options.ts';
import type { PeerTable } from './peers.ts';

export interface Places {
  readonly connections: number;
  readonly fullNodes: number;
  fromHost(host: string): number;
  /** Connections without a right to a place, of all hosts or of one. */
  unknownPeers(host?: string): number;
  isUnknown(peer: PeerKey): boolean;
  /** Undefined: a place is free, or no such peer takes the newcomer's. */
  peerToEvict(newcomer: Link): PeerKey | undefined;
}

/** `listed`: dialled by configuration. */
export function createPlaces(
  links: ReadonlyMap<string, Link>,
  { peers, listed }: { readonly peers: PeerTable; listed(peer: PeerKey): boolean },
  { limits, reserved = [] }: Pick<Settings, 'limits' | 'reserved'>,
): Places {
  const reservedKeys: ReadonlySet<PeerKey> = new Set(reserved);

  function isUnknown(peer: PeerKey): boolean {
    return peers.role(peer) !== 'validator' && !reservedKeys.has(peer) && !listed(peer);
  }

  function fullNodes(): number {
    const found = new Set<PeerKey>();
    for (const { peer } of links.values()) if (peers.role(peer) === 'full-node') found.add(peer);
    return found.size;
  }

  function fromHost(host: string): number {
    let count = 0;
    for (const link of links.values()) if (link.host === host) count++;
    return count;
  }

  function* unknownPeersOf(host: string | undefined): Generator<Link> {
    for (const link of links.values())
      if ((host === undefined || link.host === host) && isUnknown(link.peer)) yield link;
  }

  function usedBytes({ peer }: Link): number {
    const record = peers.get(peer);
    return record === undefined ? 0 : record.bytesIn + record.bytesOut;
  }

  /** The later of equals. */
  function leastUsed(host: string | undefined): PeerKey | undefined {
    let least: Link | undefined;
    for (const link of unknownPeersOf(host))
      if (least === undefined || usedBytes(link) <= usedBytes(least)) least = link;
    return least?.peer;
  }

  return {
    get connections() {
      return links.size;
    },
    get fullNodes() {
      return fullNodes();
    },
    fromHost,
    unknownPeers: (host) => [...unknownPeersOf(host)].length,
    isUnknown,
    peerToEvict({ peer, host }) {
      if (isUnknown(peer)) return undefined;
      if (fromHost(host) > limits.connectionsPerAddressMax) return leastUsed(host);
      if (links.size > limits.connectionsMax) return leastUsed(undefined);
      return peers.role(peer) === 'full-node' && fullNodes() > limits.fullNodesMax ? leastUsed(undefined) : undefined;
    },
  };
}
