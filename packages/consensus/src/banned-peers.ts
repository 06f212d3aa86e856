/**
 * Banned peers: disconnected, and reported to the operator once each.
 *
 * Frames sent before the disconnection still arrive with hundreds of offences. This set keeps them out of logs and records.
 */
import type { PeerKey, Transport } from '@slipstream/ports';
import type { BlockReason, Committee } from '@slipstream/types';

export interface BannedPeers {
  has(peer: PeerKey): boolean;
  block(effect: { readonly peer: PeerKey; readonly reason: BlockReason; readonly detail: string }): void;
  lift(peer: PeerKey): void;
  /** Bans the members that the core of this epoch blocks, and no others (E10). */
  moved(committee: Pick<Committee, 'members'>, blocked: readonly number[]): void;
}

/** A peer outside the committee can create any number of keys. The oldest entry is dropped. */
const BANNED_MAX = 4_096;

export function createBannedPeers(
  transport: Pick<Transport, 'block' | 'unblock'>,
  onBanned?: (peer: PeerKey, reason: BlockReason, detail: string) => void,
): BannedPeers {
  const peers = new Set<PeerKey>();

  function ban(peer: PeerKey): void {
    peers.add(peer);
    if (peers.size > BANNED_MAX) peers.delete(peers.values().next().value as PeerKey);
    transport.block(peer);
  }

  function lift(peer: PeerKey): void {
    peers.delete(peer);
    transport.unblock(peer);
  }

  return {
    has: (peer) => peers.has(peer),
    block({ peer, reason, detail }) {
      if (peers.has(peer)) return;
      ban(peer);
      onBanned?.(peer, reason, detail);
    },
    lift,
    moved({ members }, blocked) {
      for (const { index, peerKey } of members) {
        const isBlocked = blocked.includes(index);
        if (peers.has(peerKey) && !isBlocked) lift(peerKey);
        // Under its new network key.
        if (isBlocked && !peers.has(peerKey)) ban(peerKey);
      }
    },
  };
}
