/**
 * Ack demand: whether an own chunk asks for storage acks (D22).
 *
 *   a client waits for `attested` | certificates are needed | a chunk was left out | the next epoch is sealed | a probe --> asks
 *
 * A probe keeps the chunk-rate controller informed, and finds peers that are slow to store (D16).
 */
import type { Clock } from '@slipstream/ports';
import type { AttestationWaits } from '../chunks/attestation-waits.ts';
import type { AckMode } from '../components.ts';
import type { Committees } from '../epochs/committees.ts';
import type { DisseminationLimits } from '../limits.ts';
import type { UncertifiedReferences } from '../proposals/uncertified-references.ts';

export interface AckDemand {
  /** For the chunk with these transactions, which is made now. */
  asks(ids: readonly string[]): boolean;
  /** Whether the last chunk did, for more than a sealed epoch: that is over soon. */
  readonly didAsk: boolean;
  /** An own chunk that did not ask had to be certified: no leader referenced it in time. */
  leftOut(): void;
}

interface AckDemandParts {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly ackWishes: Pick<AttestationWaits, 'hasAny'>;
  readonly uncertifiedReferences: Pick<UncertifiedReferences, 'certificatesNeeded'>;
  readonly committees: Pick<Committees, 'current' | 'isSealed'>;
}

export function createAckDemand(
  { clock, ackWishes, uncertifiedReferences, committees }: AckDemandParts,
  mode: AckMode,
  { suspensionMs }: Pick<DisseminationLimits, 'suspensionMs'>,
): AckDemand {
  let askedMs = Number.NEGATIVE_INFINITY;
  let leftOutMs = Number.NEGATIVE_INFINITY;
  let didAsk = true;

  const isRecent = (sinceMs: number) => clock.monotonicMs() - sinceMs < suspensionMs;

  function needsAcks(ids: readonly string[]): boolean {
    if (mode === 'always' || uncertifiedReferences.certificatesNeeded) return true;
    if (isRecent(leftOutMs) || !isRecent(askedMs)) return true;
    return ackWishes.hasAny(ids);
  }

  return {
    asks(ids) {
      didAsk = needsAcks(ids);
      const asks = didAsk || committees.isSealed();
      if (asks) askedMs = clock.monotonicMs();
      return asks;
    },
    get didAsk() {
      return didAsk;
    },
    leftOut() {
      leftOutMs = clock.monotonicMs();
    },
  };
}
