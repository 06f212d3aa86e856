/**
 * Peers that are shut out: told to the transport and to the operator once, however often they offend.
 *
 * What a peer had sent before its connection closed still comes in, and a frame can hold hundreds of offences. Without this each
 * would be blocked, logged and recorded anew, and a stranger could bury a node in its own records.
 */
import type { PeerKey, Transport } from '@slipstream/ports';
import type { BlockReason } from '@slipstream/types';

export interface ShutOut {
  has(peer: PeerKey): boolean;
  block(effect: { readonly peer: PeerKey; readonly reason: BlockReason; readonly detail: string }): void;
  lift(peer: PeerKey): void;
}

/** Strangers come with any key; of so many the oldest is forgotten, and would be blocked anew. */
const SHUT_OUT_MAX = 4_096;

export function createShutOut(
  transport: Pick<Transport, 'block' | 'unblock'>,
  onBlocked: (peer: PeerKey, reason: BlockReason, detail: string) => void,
): ShutOut {
  const peers = new Set<PeerKey>();
  return {
    has: (peer) => peers.has(peer),
    block({ peer, reason, detail }) {
      if (peers.has(peer)) return;
      peers.add(peer);
      if (peers.size > SHUT_OUT_MAX) peers.delete(peers.values().next().value as PeerKey);
      transport.block(peer);
      onBlocked(peer, reason, detail);
    },
    lift(peer) {
      peers.delete(peer);
      transport.unblock(peer);
    },
  };
}
