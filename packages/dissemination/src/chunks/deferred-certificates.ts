/**
 * Deferred certificates: unverified until they are due.
 *
 *   add --> dueMs --onDue--> verified, unless a block has made it unneeded
 */
import type { Clock, PeerKey } from '@slipstream/ports';
import type { ChunkCertificate, ChunkId } from '@slipstream/types';

export interface SentCertificate {
  readonly chunkId: ChunkId;
  readonly certificate: ChunkCertificate;
  readonly from: PeerKey;
}

interface DeferredCertificates {
  add(hex: string, sent: SentCertificate, dueMs: number): void;
  has(hex: string): boolean;
  forget(hex: string): void;
  readonly size: number;
  stop(): void;
}

export function createDeferredCertificates(
  clock: Pick<Clock, 'monotonicMs' | 'after'>,
  onDue: (hex: string, sent: SentCertificate) => void,
): DeferredCertificates {
  /** By chunk id. */
  const deferred = new Map<string, SentCertificate & { readonly dueMs: number }>();
  /** For the earliest: waits follow the block interval, so they differ. */
  let nextCheck: { readonly atMs: number; readonly cancel: () => void } | undefined;

  function scheduleCheck(atMs: number): void {
    if (nextCheck !== undefined && nextCheck.atMs <= atMs) return;
    nextCheck?.cancel();
    nextCheck = { atMs, cancel: clock.after(Math.max(0, atMs - clock.monotonicMs()), checkDue) };
  }

  function checkDue(): void {
    nextCheck = undefined;
    const nowMs = clock.monotonicMs();
    let nextMs = Number.POSITIVE_INFINITY;
    for (const [hex, each] of deferred) {
      if (each.dueMs > nowMs) {
        nextMs = Math.min(nextMs, each.dueMs);
        continue;
      }
      deferred.delete(hex);
      onDue(hex, each);
    }
    if (nextMs < Number.POSITIVE_INFINITY) scheduleCheck(nextMs);
  }

  return {
    add(hex, sent, dueMs) {
      deferred.set(hex, { ...sent, dueMs });
      scheduleCheck(dueMs);
    },
    has: (hex) => deferred.has(hex),
    forget: (hex) => void deferred.delete(hex),
    get size() {
      return deferred.size;
    },
    stop: () => nextCheck?.cancel(),
  };
}
