/**
 * The validators' word: what a validator forwards it has found covered in the committed state, as this node would. Looking again costs a
 * question to the executor's thread for each frame, which wakes two threads. So it is believed until a block shows otherwise.
 *
 *   believed --a block skips one that it forwarded: the sender cannot pay--> looked at for DOUBT_MS --> believed
 *
 * What that costs: a Byzantine validator brings what nobody pays for into other producers' chunks for as long as a block takes, once in
 * DOUBT_MS, within its share of their pools. In its own chunks it may do so all the time. An honest one may be doubted as well: the sender
 * has spent the balance since.
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
  /** When each is believed again. */
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
