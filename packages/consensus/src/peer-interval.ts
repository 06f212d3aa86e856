/** Peer interval: what a peer causes at most once in a while. Peers change keys at no cost, so the table is bounded. */
import type { PeerKey } from '@slipstream/ports';

interface PeerInterval {
  /** True at most once in each interval, for each peer. */
  pass(peer: PeerKey, nowMs: number): boolean;
  clear(): void;
}

/** Above, all peers pass again. */
const PEERS_MAX = 1_024;

export function createPeerInterval(everyMs: number): PeerInterval {
  const passedMs = new Map<PeerKey, number>();
  return {
    pass(peer, nowMs) {
      const lastMs = passedMs.get(peer);
      if (lastMs !== undefined && nowMs < lastMs + everyMs) return false;
      if (passedMs.size >= PEERS_MAX) passedMs.clear();
      passedMs.set(peer, nowMs);
      return true;
    },
    clear: () => passedMs.clear(),
  };
}
