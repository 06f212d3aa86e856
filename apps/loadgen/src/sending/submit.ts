/** Submits one batch to one node by REST, with an outcome per transaction. */
import { ClientError } from '@slipstream/client';
import type { SignedTransfer } from '../signing/signed-batch.ts';
import type { NodeHandle } from './node-handle.ts';

export type SendOutcome =
  | { readonly type: 'accepted' }
  | { readonly type: 'refused'; readonly reason: string; readonly retryAfterMs: number | undefined }
  /** No answer: the node may have accepted it or not. Resending is safe. */
  | { readonly type: 'unanswered'; readonly reason: string };

export type Submit = (node: NodeHandle, transfers: readonly SignedTransfer[]) => Promise<readonly SendOutcome[]>;

export interface Submitter {
  readonly submit: Submit;
  /** Calls the listener when an accepted transaction's chunk is certified. Returns how to unsubscribe. Undefined without notices. */
  readonly onAttested: ((listener: (id: string) => void) => () => void) | undefined;
  /** Idempotent. */
  close(): void;
}

export const restSubmitter: Submitter = {
  submit: (node, transfers) => submitByRest(node, transfers),
  onAttested: undefined,
  close: () => {},
};

/** A node without an answer by then counts as down. */
const ANSWER_MS_MAX = 10_000;
const NO_ANSWER: ReadonlySet<string> = new Set(['network', 'timeout', 'aborted', 'malformed-answer']);

const submitByRest: Submit = async (node, transfers) => {
  const transactions = transfers.map(({ bytes }) => hexOf(bytes));
  try {
    const { results } = await node.client.call('submitBatch', { body: { transactions }, timeoutMs: ANSWER_MS_MAX });
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

function hexOf(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`;
}
