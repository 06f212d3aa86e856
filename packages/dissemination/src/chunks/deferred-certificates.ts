/**
 * Deferred certificates: unverified until they are due.
 *
 *   add --> due --isUnneeded? no--> onDue: it is verified
 *            ^-----------yes, again later        take: a client waits for it
 */
import type { Clock, PeerKey } from '@slipstream/ports';
import type { ChunkCertificate, ChunkId } from '@slipstream/types';

export interface SentCertificate {
  readonly chunkId: ChunkId;
  readonly certificate: ChunkCertificate;
  readonly from: PeerKey;
}

interface DeferredCertificates {
  add(hex: string, sent: SentCertificate, waitMs: number): void;
  has(hex: string): boolean;
  /** Removes and returns it. */
  take(hex: string): SentCertificate | undefined;
  forget(hex: string): void;
  readonly size: number;
  stop(): void;
}

interface DeferredParts {
  readonly clock: Pick<Clock, 'monotonicMs' | 'after'>;
  /** Asked when a certificate is due: a block has its chunk. */
  readonly isUnneeded: (hex: string) => boolean;
  readonly onDue: (hex: string, sent: SentCertificate) => void;
}

interface Deferred extends SentCertificate {
  readonly waitMs: number;
  dueMs: number;
}

export function createDeferredCertificates({ clock, isUnneeded, onDue }: DeferredParts): DeferredCertificates {
  /** By chunk id. */
  const deferred = new Map<string, Deferred>();
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
      const isDue = each.dueMs <= nowMs;
      if (isDue && isUnneeded(hex)) each.dueMs = nowMs + Math.max(1, each.waitMs);
      else if (isDue) {
        deferred.delete(hex);
        onDue(hex, each);
        continue;
      }
      nextMs = Math.min(nextMs, each.dueMs);
    }
    if (nextMs < Number.POSITIVE_INFINITY) scheduleCheck(nextMs);
  }

  return {
    add(hex, sent, waitMs) {
      const dueMs = clock.monotonicMs() + waitMs;
      deferred.set(hex, { ...sent, waitMs, dueMs });
      scheduleCheck(dueMs);
    },
    has: (hex) => deferred.has(hex),
    take(hex) {
      const sent = deferred.get(hex);
      deferred.delete(hex);
      return sent;
    },
    forget: (hex) => void deferred.delete(hex),
    get size() {
      return deferred.size;
    },
    stop: () => nextCheck?.cancel(),
  };
}
