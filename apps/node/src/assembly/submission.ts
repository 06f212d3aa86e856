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

type SubmissionAudience = Pick<ApiThread, 'attested' | 'ordered' | 'committed'>;

export interface Submission {
  readonly link: SubmissionLink;
  ordered(block: Block): void;
  committed(block: CommittedSummary): void;
}

export function createSubmission(
  dissemination: Pick<Dissemination, 'submitMany' | 'status' | 'awaitAttestation' | 'idsOf'>,
  audience: SubmissionAudience,
): Submission {
  return {
    link: {
      submitMany: (transactions, source) => dissemination.submitMany(transactions, source),
      async pooled(id) {
        const state = dissemination.status(id);
        // Who asks before the attestation waits for it, or asks again soon.
        if (state.status === 'pending' || state.status === 'unknown') dissemination.awaitAttestation(id);
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
  { chunkId, producer, transactionIds, sinceCreatedMs }: AttestedChunk,
  audience: Pick<SubmissionAudience, 'attested'>,
  telemetry: Pick<Telemetry, 'event'>,
): void {
  audience.attested(transactionIds);
  const transactions = transactionIds.length;
  telemetry.event('chunk.certified', { chunkId: hexOf(chunkId), producer, transactions, sinceCreatedMs });
}
