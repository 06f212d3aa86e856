/** Submits one batch to one node, with an outcome per transaction. */
import { ClientError } from '@slipstream/client';
import { encodeBatch } from '@slipstream/schema';
import type { SignedTransfer } from '../signing/signed-batch.ts';
import type { NodeHandle } from './node-handle.ts';

export type SendOutcome =
  | { readonly type: 'accepted' }
  | { readonly type: 'refused'; readonly reason: string; readonly retryAfterMs: number | undefined }
  /** No answer: the node may have accepted it or not. Resending is safe. */
  | { readonly type: 'unanswered'; readonly reason: string };

export type Submit = (node: NodeHandle, transfers: readonly SignedTransfer[]) => Promise<readonly SendOutcome[]>;

/** A node without an answer by then counts as down. */
const ANSWER_MS_MAX = 10_000;
const NO_ANSWER: ReadonlySet<string> = new Set(['network', 'timeout', 'aborted', 'malformed-answer']);

export const submitBatch: Submit = async (node, transfers) => {
  const body = encodeBatch(transfers.map(({ bytes }) => bytes));
  try {
    const { results } = await node.client.call('submitBatch', { body, timeoutMs: ANSWER_MS_MAX });
    return transfers.map((_, index): SendOutcome => {
      const result = results[index];
      if (result === undefined) return { type: 'unanswered', reason: 'no result' };
      if (result.ok) return { type: 'accepted' };
      const { reason, code, retryAfterMs } = result.problem;
      return { type: 'refused', reason: reason ?? code, retryAfterMs };
    });
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    const { code, problem } = error;
    const outcome: SendOutcome = NO_ANSWER.has(code)
      ? { type: 'unanswered', reason: code }
      : { type: 'refused', reason: problem?.reason ?? code, retryAfterMs: problem?.retryAfterMs };
    return transfers.map(() => outcome);
  }
};
