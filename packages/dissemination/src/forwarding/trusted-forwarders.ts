/**
 * Trusted forwarders: validators whose forwarded transactions need no second balance check, which wakes two threads for each frame.
 *
 *   trusted --a block skips one that it forwarded, since the sender cannot pay--> checked for DISTRUST_MS --> trusted
 *
 * Cost: once in DISTRUST_MS a Byzantine validator gets unpayable transactions into others' chunks, within its share of their pools. An
 * honest one loses trust too when a sender spent its balance meanwhile.
 */
import type { Clock, PeerKey } from '@slipstream/ports';
import type { Committees, ValidatorName } from '../epochs/committees.ts';

export interface TrustedForwarders {
  isTrusted(peer: PeerKey): boolean;
  distrust(peer: PeerKey): void;
}

const DISTRUST_MS = 600_000;

export function createTrustedForwarders({
  clock,
  committees,
}: {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly committees: Pick<Committees, 'validatorOf'>;
}): TrustedForwarders {
  /** Monotonic ms. */
  const distrustedUntil = new Map<ValidatorName, number>();

  return {
    isTrusted(peer) {
      const name = committees.validatorOf(peer);
      return name !== undefined && (distrustedUntil.get(name) ?? Number.NEGATIVE_INFINITY) <= clock.monotonicMs();
    },
    distrust(peer) {
      const nowMs = clock.monotonicMs();
      for (const [name, untilMs] of distrustedUntil) if (untilMs <= nowMs) distrustedUntil.delete(name);
      const name = committees.validatorOf(peer);
      if (name !== undefined) distrustedUntil.set(name, nowMs + DISTRUST_MS);
    },
  };
}
