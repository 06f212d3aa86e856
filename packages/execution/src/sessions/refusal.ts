/** Predicts at admission whether execution would reject a session. */
import type { SkipReason, Transaction, TransactionId } from '@slipstream/types';
import type { ReadState } from '../state-keys.ts';
import { authorizeSession, type NumberOfApplication, planSession } from './authorize.ts';

type SessionRefusal = Extract<SkipReason, `session-${string}`>;

interface SessionRefusalTerms {
  /** Stands in for the block's time, by which execution decides. */
  readonly nowMs: number;
  readonly numberOfApplication: NumberOfApplication;
}

/** Undefined when no reason is known, or no session is used. */
export function sessionRefusalOf(
  read: ReadState,
  transaction: Transaction,
  transactionId: TransactionId,
  { nowMs, numberOfApplication }: SessionRefusalTerms,
): SessionRefusal | undefined {
  const plan = planSession(transaction);
  if (plan === undefined) return undefined;
  const scratch = { get: (key: { readonly bytes: Uint8Array }) => read(key.bytes), set: () => {} };
  return authorizeSession(plan, scratch, { transaction, transactionId, timestampMs: nowMs, numberOfApplication }) as
    | SessionRefusal
    | undefined;
}
