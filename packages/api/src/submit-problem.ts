import { unreachable } from '@slipstream/primitives';
import { PROBLEMS, type Problem, problem } from '@slipstream/schema';
import type { SubmitOutcome } from './backend.ts';

export type SubmitRefusal = Exclude<SubmitOutcome, { readonly type: 'accepted' }>;

export function problemOf(refusal: SubmitRefusal): Problem {
  switch (refusal.type) {
    case 'malformed':
      return problem('malformed-transaction', {
        detail: `${refusal.detail}. ${PROBLEMS['malformed-transaction'].remedy}`,
      });
    case 'invalid':
      return problem('invalid-transaction', { detail: refusal.detail, reason: refusal.reason });
    case 'conflict':
      return problem('conflict', { detail: refusal.detail });
    case 'overloaded':
      return problem('overloaded', { retryAfterMs: refusal.retryAfterMs });
    case 'not-ready':
      return problem('not-ready', { detail: refusal.detail });
    default:
      return unreachable(refusal, 'outcome of a submission');
  }
}
