import type { SubmitOutcome } from '@slipstream/api';
import type { SubmitResult } from '@slipstream/dissemination';
import { REFUSAL_REASONS, type RefusalReason, type TransactionStatus } from '@slipstream/schema';
import type { Receipt, TransactionId } from '@slipstream/types';

export interface TransactionState {
  readonly status: TransactionStatus;
  readonly expiryMs?: number | undefined;
}

export const ENDS: ReadonlySet<string> = new Set(['final', 'failed', 'expired', 'skipped']);

export function statusOf({ outcome }: Receipt): 'final' | 'failed' {
  return outcome.status === 'success' ? 'final' : 'failed';
}

export function refusalOf(reason: string): RefusalReason | undefined {
  return REFUSAL_REASONS.find((known) => known === reason);
}

export function knownAs(id: TransactionId, { status, expiryMs }: TransactionState): SubmitOutcome {
  return { type: 'accepted', id, status, ...(expiryMs !== undefined && { expiryMs }) };
}

export function refusedAs(result: Extract<SubmitResult, { readonly type: 'rejected' }>): SubmitOutcome {
  if (result.reason === 'malformed') return { type: 'malformed', detail: result.message };
  if (result.retryAfterMs !== undefined) return { type: 'overloaded', retryAfterMs: result.retryAfterMs };
  return { type: 'invalid', reason: refusalOf(result.reason) ?? 'malformed', detail: result.message };
}
