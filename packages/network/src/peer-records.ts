/** Bounds libp2p's own records, one for each key that opened a stream or was dialled: unused here (peers.ts), and keys cost nothing. */
import type { Libp2p, PeerId } from '@libp2p/interface';
import { PEER_RECORDS_MAX } from './limits.ts';

export function boundPeerRecords(node: Libp2p, recordsMax = PEER_RECORDS_MAX): void {
  const written = new Map<string, PeerId>();
  node.addEventListener('peer:update', ({ detail: { peer } }) => {
    const name = peer.id.toString();
    written.delete(name);
    written.set(name, peer.id);
    if (written.size <= recordsMax) return;
    const [oldest, id] = written.entries().next().value as [string, PeerId];
    written.delete(oldest);
    // In memory, so it cannot fail; a later write fires the event again.
    node.peerStore.delete(id).catch(() => {});
  });
}
