/**
 * Spans of the main thread: from a submission to the attestation of its chunk.
 *
 *   submitted --`dissemination.submit`--> pool --`dissemination.pool`--> chunk --`dissemination.attest`--> a quorum stores it
 *
 * The last one is made on every node, the others where a client submitted the transaction.
 */
import type { AttestedChunk } from '@slipstream/dissemination';
import type { Clock, Telemetry } from '@slipstream/ports';
import { hexOf } from '@slipstream/types';

export interface ChunkSpans {
  /** Call at the submission; the answer takes the hexadecimal ids of what was accepted. */
  submitted(): (ids: readonly string[]) => void;
  attested(chunk: AttestedChunk): void;
}

/** Accepted and not attested; the oldest are forgotten. */
const POOLED_MAX = 10_000;

export function createChunkSpans(
  { clock, telemetry }: { readonly clock: Pick<Clock, 'wallMs'>; readonly telemetry: Pick<Telemetry, 'span'> },
  isTraced: (id: string) => boolean,
): ChunkSpans {
  const pooledSinceMs = new Map<string, number>();

  function pooled(id: string, fromMs: number): void {
    const toMs = clock.wallMs();
    pooledSinceMs.set(id, toMs);
    if (pooledSinceMs.size > POOLED_MAX) pooledSinceMs.delete(pooledSinceMs.keys().next().value as string);
    telemetry.span?.({ transactionId: id, name: 'dissemination.submit', fromMs, toMs, fields: { thread: 'main' } });
  }

  return {
    submitted() {
      const fromMs = clock.wallMs();
      return (ids) => {
        for (const id of ids) if (isTraced(id)) pooled(id, fromMs);
      };
    },
    attested({ chunkId, producer, transactionIds, sinceCreatedMs }) {
      const toMs = clock.wallMs();
      const createdMs = toMs - sinceCreatedMs;
      for (const id of transactionIds) {
        if (!isTraced(id)) continue;
        const fields = { thread: 'main', chunk: hexOf(chunkId), producer };
        const sinceMs = pooledSinceMs.get(id);
        pooledSinceMs.delete(id);
        if (sinceMs !== undefined) {
          const packedMs = Math.max(sinceMs, createdMs);
          telemetry.span?.({ transactionId: id, name: 'dissemination.pool', fromMs: sinceMs, toMs: packedMs, fields });
        }
        telemetry.span?.({ transactionId: id, name: 'dissemination.attest', fromMs: createdMs, toMs, fields });
      }
    },
  };
}
