/**
 * Trusted forwarders: validators whose forwarded transactions need no second balance check, which wakes two threads for each frame.
 *
 *   trusted --a block skips one that it forwarded, since the sender cannot pay--> checked for DISTRUST_MS --> trusted
 *
 * Cost: once in DISTRUST_MS a Byzantine validator gets unpayable transactions into others' chunks, within its share of their pools. An
 * honest one loses trust too when a sender spent its balance meanwhile.
 */
import type { Clock, PeerKey } from '@slipstream/ports';

export interface TrustedForwarders {
  isTrusted(peer: PeerKey): boolean;
  distrust(peer: PeerKey): void;
}

const DISTRUST_MS = 600_000;

export function createTrustedForwarders(
  { clock }: { readonly clock: Pick<Clock, 'monotonicMs'> },
  committee: { readonly members: readonly { readonly peerKey: PeerKey }[] },
): TrustedForwarders {
  /** Monotonic ms. */
  const distrustedUntil = new Map<PeerKey, number>(
    committee.members.map(({ peerKey }) => [peerKey, Number.NEGATIVE_INFINITY]),
  );

  return {
    isTrusted: (peer) => (distrustedUntil.get(peer) ?? Number.POSITIVE_INFINITY) <= clock.monotonicMs(),
    distrust(peer) {
      if (distrustedUntil.has(peer)) distrustedUntil.set(peer, clock.monotonicMs() + DISTRUST_MS);
    },
  };
}
