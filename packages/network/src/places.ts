/**
 * Places: what the connections take of each limit, and which stranger gives way.
 *
 * Validators, the peers of the configuration and full nodes of the reserved list have a place of their own. Any other full
 * node is a stranger: it may take what is free, and gives it back when one with a right to it comes and nothing is left.
 * A stranger that carries traffic is worth more than one that only sits there, so the one that exchanged least goes first.
 */
import type { PeerKey } from '@slipstream/ports';
import type { Link } from './link.ts';
import type { Settings } from './options.ts';
import type { PeerTable } from './peers.ts';

export interface Places {
  readonly connections: number;
  /** Full nodes of any kind that have a connection. */
  readonly fullNodes: number;
  fromHost(host: string): number;
  /** Connections of strangers, of all hosts or of one. */
  strangers(host?: string): number;
  isStranger(peer: PeerKey): boolean;
  /** The stranger that gives way to the newcomer; undefined while there is room, or when no stranger is in the way. */
  inTheWay(newcomer: Link): PeerKey | undefined;
}

/** `listed`: this node dials the peer by configuration. */
export function createPlaces(
  links: ReadonlyMap<string, Link>,
  { peers, listed }: { readonly peers: PeerTable; listed(peer: PeerKey): boolean },
  { limits, reserved = [] }: Pick<Settings, 'limits' | 'reserved'>,
): Places {
  const reservedKeys: ReadonlySet<PeerKey> = new Set(reserved);

  function isStranger(peer: PeerKey): boolean {
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

  function* strangersOf(host: string | undefined): Generator<Link> {
    for (const link of links.values())
      if ((host === undefined || link.host === host) && isStranger(link.peer)) yield link;
  }

  function usedBytes({ peer }: Link): number {
    const record = peers.get(peer);
    return record === undefined ? 0 : record.bytesIn + record.bytesOut;
  }

  /** Of two that were used alike the one that came later: links are kept in the order in which they came. */
  function leastUsed(host: string | undefined): PeerKey | undefined {
    let least: Link | undefined;
    for (const link of strangersOf(host)) if (least === undefined || usedBytes(link) <= usedBytes(least)) least = link;
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
    strangers: (host) => [...strangersOf(host)].length,
    isStranger,
    inTheWay({ peer, host }) {
      if (isStranger(peer)) return undefined;
      if (fromHost(host) > limits.connectionsPerAddressMax) return leastUsed(host);
      if (links.size > limits.connectionsMax) return leastUsed(undefined);
      return peers.role(peer) === 'full-node' && fullNodes() > limits.fullNodesMax ? leastUsed(undefined) : undefined;
    },
  };
}
