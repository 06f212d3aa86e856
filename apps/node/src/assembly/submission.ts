/**
 * Between the API's thread and dissemination.
 *
 *   API --submitMany, pooled--> dissemination        attested, ordered, committed --> API
 */
import type { AttestedChunk, Dissemination } from '@slipstream/dissemination';
import type { Telemetry } from '@slipstream/ports';
import { type Block, hexOf } from '@slipstream/types';
import type { ApiThread } from '../api-thread/api.ts';
import type { SubmissionLink } from '../api-thread/node-link.ts';
import type { CommittedSummary } from '../executor/committed-summary.ts';
import type { ChunkSpans } from '../tracing/chunk-spans.ts';
import type { NodeWorld } from './node-world.ts';

type SubmissionAudience = Pick<ApiThread, 'attested' | 'ordered' | 'committed'>;

export interface Submission {
  readonly link: SubmissionLink;
  ordered(block: Block): void;
  committed(block: CommittedSummary): void;
}

export function createSubmission(
  dissemination: Pick<Dissemination, 'submitMany' | 'status' | 'awaitAttestation' | 'idsOf'>,
  audience: SubmissionAudience,
  spans?: ChunkSpans,
): Submission {
  return {
    link: {
      async submitMany(transactions, source) {
        const accepted = spans?.submitted();
        const results = await dissemination.submitMany(transactions, source);
        accepted?.(results.flatMap((result) => (result.type === 'accepted' ? hexOf(result.id) : [])));
        return results;
      },
      async pooled(id, isAttestationAwaited = false) {
        const state = dissemination.status(id);
        // A client that asks before the attestation waits for it, or asks again soon.
        if (state.status === 'pending' || state.status === 'unknown') {
          dissemination.awaitAttestation(id, isAttestationAwaited);
        }
        return state;
      },
    },
    ordered(block) {
      const ids = block.payload.flatMap(({ chunkId }) => dissemination.idsOf(chunkId));
      if (ids.length > 0) audience.ordered(ids, block.height);
    },
    committed: (block) => audience.committed(block),
  };
}

export function reportAttested(
  chunk: AttestedChunk,
  audience: Pick<SubmissionAudience, 'attested'>,
  { telemetry, spans }: Pick<NodeWorld, 'spans'> & { readonly telemetry: Pick<Telemetry, 'event'> },
): void {
  const { chunkId, producer, transactionIds, rows, sinceCreatedMs } = chunk;
  audience.attested(transactionIds);
  spans?.attested(chunk);
  const transactions = transactionIds.length;
  telemetry.event('chunk.certified', { chunkId: hexOf(chunkId), producer, transactions, rows, sinceCreatedMs });
}
