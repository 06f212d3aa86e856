/**
 * Banned peers: disconnected, and reported to the operator once each.
 *
 * Frames sent before the disconnection still arrive with hundreds of offences. This set keeps them out of logs and records.
 */
import type { PeerKey, Transport } from '@slipstream/ports';
import type { BlockReason } from '@slipstream/types';

export interface BannedPeers {
  has(peer: PeerKey): boolean;
  block(effect: { readonly peer: PeerKey; readonly reason: BlockReason; readonly detail: string }): void;
  lift(peer: PeerKey): void;
}

/** A peer outside the committee can create any number of keys. The oldest entry is dropped. */
const BANNED_MAX = 4_096;

export function createBannedPeers(
  transport: Pick<Transport, 'block' | 'unblock'>,
  onBanned?: (peer: PeerKey, reason: BlockReason, detail: string) => void,
): BannedPeers {
  const peers = new Set<PeerKey>();
  return {
    has: (peer) => peers.has(peer),
    block({ peer, reason, detail }) {
      if (peers.has(peer)) return;
      peers.add(peer);
      if (peers.size > BANNED_MAX) peers.delete(peers.values().next().value as PeerKey);
      transport.block(peer);
      onBanned?.(peer, reason, detail);
    },
    lift(peer) {
      peers.delete(peer);
      transport.unblock(peer);
    },
  };
}
