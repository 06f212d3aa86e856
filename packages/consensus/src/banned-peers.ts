/**
 * Banned peers: closed by the transport, and reported to the operator, once each, however often they offend.
 *
 * What a peer had sent before its connection closed still comes in, and a frame can hold hundreds of offences. Without this set each
 * offence would be blocked, logged and recorded again, and a stranger could bury a node in its own records.
 */
import type { PeerKey, Transport } from '@slipstream/ports';
import type { BlockReason } from '@slipstream/types';

export interface BannedPeers {
  has(peer: PeerKey): boolean;
  block(effect: { readonly peer: PeerKey; readonly reason: BlockReason; readonly detail: string }): void;
  lift(peer: PeerKey): void;
}

/** Strangers come with any key: beyond this many the oldest is forgotten, and would be banned again. */
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
