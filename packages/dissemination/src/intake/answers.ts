import type { TransactionId } from '@slipstream/types';
import type { DisseminationLimits } from '../limits.ts';
import type { DropCounter } from '../metrics/drop-counter.ts';
import type { Flow } from '../metrics/flow.ts';
import { FULL_MESSAGES, type FullReason, VERIFICATION_LIMIT_MESSAGE } from './intake-messages.ts';
import type { RejectReason, SubmitResult } from './submit-result.ts';

export type KnownCopy = Pick<Extract<SubmitResult, { type: 'known' }>, 'where' | 'sameBytes'>;

export interface Answers {
  rejected(
    id: TransactionId | undefined,
    reason: RejectReason,
    message: string,
    retryAfterMs?: number | undefined,
  ): SubmitResult;
  full(id: TransactionId, reason: FullReason): SubmitResult;
  overVerificationLimit(id: TransactionId | undefined, message?: string): SubmitResult;
  known(id: TransactionId, copy: KnownCopy): SubmitResult;
}

export function createAnswers(
  { drops, flow }: { readonly drops: DropCounter; readonly flow: Flow },
  { retryAfterMs }: Pick<DisseminationLimits, 'retryAfterMs'>,
): Answers {
  function rejected(
    id: TransactionId | undefined,
    reason: RejectReason,
    message: string,
    retryMs?: number | undefined,
  ): SubmitResult {
    drops.add(reason);
    flow.refused(reason);
    return { type: 'rejected', reason, message, id, retryAfterMs: retryMs };
  }

  return {
    rejected,
    full: (id, reason) => rejected(id, reason, FULL_MESSAGES[reason], retryAfterMs),
    overVerificationLimit: (id, message = VERIFICATION_LIMIT_MESSAGE) =>
      rejected(id, 'verification-limit', message, retryAfterMs),
    known(id, copy) {
      flow.known();
      return { type: 'known', id, ...copy };
    },
  };
}
