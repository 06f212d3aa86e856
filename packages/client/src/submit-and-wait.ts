/**
 * Submits until a node has accepted, then polls until the transaction has ended.
 *
 * Submitting again is always safe, since the id is a hash of the body. So transient failures (no answer, 429, 503, a
 * proxy's 502) are retried until the transaction has expired; a permanent refusal is thrown at once. After a lost answer the
 * transaction may have been accepted, so a refusal of the same bytes is not final: a caller that signs again could pay twice.
 * It is thrown only at the deadline. An unreadable answer of a proxy is not final then either.
 */
import type { RefusalReason, TransactionView } from '@slipstream/schema';
import type { Client } from './client.ts';
import { deadlineAfter, eitherSignal } from './deadline.ts';
import { ClientError, type ClientErrorCode } from './errors.ts';
import type { SignedTransaction } from './transactions.ts';
import type { WaitOptions } from './wait-options.ts';

/** Duration of one wait request. */
const ASK_MS = 10_000;
/** Time after the expiry in which a block that includes it may still become certified. */
const EXPIRY_MARGIN_MS = 15_000;
const RETRY_MS_MIN = 100;
const RETRY_MS_MAX = 3_000;

/** Failures after which the transaction may or may not have been accepted. */
const UNANSWERED: ReadonlySet<ClientErrorCode> = new Set<ClientErrorCode>(['network', 'timeout', 'internal']);
/** Refusals that every node gives at any time, and `session-unknown`, whose remedy is to sign with the credential. */
const LASTING: ReadonlySet<RefusalReason> = new Set<RefusalReason>([
  'bad-signature',
  'wrong-genesis',
  'malformed',
  'session-unknown',
]);
const ENDS: ReadonlySet<string> = new Set(['final', 'failed', 'expired']);

export async function submitAndWait(
  client: Client,
  transaction: SignedTransaction,
  { signal, timeoutMs, onStatus }: WaitOptions = {},
): Promise<TransactionView> {
  const startMs = performance.now();
  const expiryInMs = transaction.transaction.body.expiryMs - Date.now();
  const deadlineMs = startMs + (timeoutMs ?? Math.max(0, expiryInMs) + EXPIRY_MARGIN_MS);
  const overall = deadlineAfter(deadlineMs - startMs);
  const either = eitherSignal(signal, overall);
  let last: TransactionView | undefined;
  let failure: ClientError | undefined;
  /** The newest refusal of a transaction that a node may have accepted before. */
  let refusal: ClientError | undefined;
  let retryMs = RETRY_MS_MIN;
  let accepted = false;
  let mayBeTakenIn = false;
  while (performance.now() < deadlineMs) {
    const waitMs = Math.max(1, Math.min(ASK_MS, Math.round(deadlineMs - performance.now())));
    let pauseMs = 0;
    try {
      if (!accepted) report(await client.submit(transaction, { signal: either }));
      accepted = true;
      const askedMs = performance.now();
      const view = await client.transaction(transaction.id, { wait: 'final', timeoutMs: waitMs, signal: either });
      report(view);
      if (ENDS.has(view.status)) return view;
      if (performance.now() - askedMs >= waitMs / 2) {
        retryMs = RETRY_MS_MIN;
        continue;
      }
      // The node has too many waits and answered at once.
      retryMs = Math.min(RETRY_MS_MAX, retryMs * 2);
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      if (overall.aborted && !signal?.aborted) break;
      // A restarted node may have lost the transaction: submit again.
      if (error.code === 'transaction-unknown' && accepted) accepted = false;
      // The node has it with another authorization. The id is the same, so the outcome is too.
      else if (error.code === 'conflict') accepted = true;
      // It may have been accepted before, in a block that this node lacks: poll until the deadline.
      else if (mayBeTakenIn && isOfNow(error)) {
        accepted = true;
        refusal = error;
      } else if (!error.retryable && !(mayBeTakenIn && error.code === 'malformed-answer')) throw error;
      if (UNANSWERED.has(error.code)) mayBeTakenIn = true;
      failure = error;
      retryMs = Math.min(RETRY_MS_MAX, retryMs * 2);
      pauseMs = error.retryAfterMs ?? 0;
    }
    const leftMs = Math.max(0, deadlineMs - performance.now());
    await pause(Math.min(Math.max(retryMs, pauseMs), leftMs), signal);
  }
  if (refusal !== undefined) throw refusal;
  const where = last === undefined ? 'no node took it in' : `it is ${last.status}`;
  throw new ClientError('timeout', `${transaction.id} has not ended in time: ${where}`, { last }, failure);

  function report(view: TransactionView): void {
    if (view.status !== last?.status || view.reason !== last.reason) onStatus?.(view);
    last = view;
    mayBeTakenIn = true;
  }
}

/** Whether the refusal depends on time or node, so that an earlier submission may have been accepted. */
function isOfNow({ code, problem }: ClientError): boolean {
  return code === 'invalid-transaction' && problem?.reason !== undefined && !LASTING.has(problem.reason);
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(new ClientError('aborted', 'the caller ended the wait'));
    };
    if (signal?.aborted) return reject(new ClientError('aborted', 'the caller ended the wait'));
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
