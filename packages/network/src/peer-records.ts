/**
 * What libp2p writes down of peers, bounded: a record of each key that ever opened a stream here or was dialled.
 *
 * Nothing here reads them (who is known is in peers.ts), but they stay in memory, and a stranger's key costs nothing. So the record
 * that was written longest ago gives way.
 */
import type { Libp2p, PeerId } from '@libp2p/interface';
import { PEER_RECORDS_MAX } from './limits.ts';

/** From now on. */
export function boundPeerRecords(node: Libp2p, recordsMax = PEER_RECORDS_MAX): void {
  /** The one written longest ago first. */
  const written = new Map<string, PeerId>();
  node.addEventListener('peer:update', ({ detail: { peer } }) => {
    const name = peer.id.toString();
    written.delete(name);
    written.set(name, peer.id);
    if (written.size <= recordsMax) return;
    const [oldest, id] = written.entries().next().value as [string, PeerId];
    written.delete(oldest);
    // In memory, so it does not fail; whatever is written of that peer later is told again.
    node.peerStore.delete(id).catch(() => {});
  });
}
