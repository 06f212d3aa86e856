/**
 * Renamed peers: a member that changes its network key is one peer to all parts of this node, under the key that the current record names.
 *
 *   record: key new, before old      frames, events of old --> of new      send to new --> by the connection of old, while there is no other
 */
import type { PeerKey, PeerStatus, Transport } from '@slipstream/ports';
import type { NodeEpochs } from './node-epochs.ts';

export function withRenamedPeers<T extends Transport>(
  transport: T,
  { canonical, previousOf }: Pick<NodeEpochs, 'canonical' | 'previousOf'>,
): T {
  function both(peer: PeerKey, act: (peer: PeerKey) => void): void {
    act(peer);
    const previous = previousOf(peer);
    if (previous !== undefined) act(previous);
  }

  return {
    ...transport,
    send(peer, lane, frame) {
      const previous = previousOf(peer);
      if (previous === undefined || isConnected(transport, peer)) return transport.send(peer, lane, frame);
      return transport.send(previous, lane, frame);
    },
    peers: () => mergedStatuses(transport.peers(), canonical),
    onFrame: (handler) => transport.onFrame((from, lane, frame) => handler(canonical(from), lane, frame)),
    onPeer: (handler) => transport.onPeer((event) => handler({ ...event, peer: canonical(event.peer) })),
    block: (peer) => both(peer, transport.block),
    unblock: (peer) => both(peer, transport.unblock),
  };
}

function isConnected(transport: Pick<Transport, 'peers'>, peer: PeerKey): boolean {
  return transport.peers().some((status) => status.peer === peer && status.connected);
}

/** Of two connections of one member, the connected one is shown. */
function mergedStatuses(statuses: readonly PeerStatus[], canonical: NodeEpochs['canonical']): readonly PeerStatus[] {
  const merged = new Map<PeerKey, PeerStatus>();
  for (const status of statuses) {
    const peer = canonical(status.peer);
    if (merged.get(peer)?.connected !== true) merged.set(peer, { ...status, peer });
  }
  return [...merged.values()];
}
