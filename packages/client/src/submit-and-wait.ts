/**
 * The id is a hash of the body, so submitting again is safe. Transient failures (no answer, 429, 503, a proxy's 502) are retried until the
 * expiry. After a lost answer the transaction may have been accepted, so a refusal of the same bytes, or a proxy's unreadable answer, is
 * thrown only at the deadline: a caller that signs again could pay twice. Other permanent refusals are thrown at once.
 */
import type { RefusalReason, TransactionView } from '@slipstream/schema';
import type { Client } from './client.ts';
import { deadlineAfter, eitherSignal } from './deadline.ts';
import { ClientError, type ClientErrorCode } from './errors.ts';
import type { SignedTransaction } from './transactions.ts';
import type { WaitOptions } from './wait-options.ts';

/** Of one wait request. */
const ASK_MS = 10_000;
/** After the expiry: a block that includes it may still become certified. */
const EXPIRY_MARGIN_MS = 15_000;
const RETRY_MS_MIN = 100;
const RETRY_MS_MAX = 3_000;

/** The transaction may have been accepted. */
const UNANSWERED: ReadonlySet<ClientErrorCode> = new Set<ClientErrorCode>(['network', 'timeout', 'internal']);
/** Every node gives them at any time; the remedy of `session-unknown` is to sign with the credential. */
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
  /** Newest, of a transaction that a node may have accepted. */
  let refusal: ClientError | undefined;
  let retryMs = RETRY_MS_MIN;
  let accepted = false;
  let mayBeAccepted = false;
  while (performance.now() < deadlineMs) {
    const waitMs = Math.max(1, Math.min(ASK_MS, Math.round(deadlineMs - performance.now())));
    let pauseMs = 0;
    try {
      if (!accepted) report(await client.submit(transaction, { signal: either }));
      accepted = true;
      const sentMs = performance.now();
      const view = await client.transaction(transaction.id, { wait: 'final', timeoutMs: waitMs, signal: either });
      report(view);
      if (ENDS.has(view.status)) return view;
      if (performance.now() - sentMs >= waitMs / 2) {
        retryMs = RETRY_MS_MIN;
        continue;
      }
      // The node has too many waits.
      retryMs = Math.min(RETRY_MS_MAX, retryMs * 2);
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      if (overall.aborted && !signal?.aborted) break;
      // A restarted node may have lost it: submit again.
      if (error.code === 'transaction-unknown' && accepted) accepted = false;
      // Known with another authorization: same id, same outcome.
      else if (error.code === 'conflict') accepted = true;
      // Possibly accepted in a block that this node lacks: poll until the deadline.
      else if (mayBeAccepted && isOfNow(error)) {
        accepted = true;
        refusal = error;
      } else if (!error.retryable && !(mayBeAccepted && error.code === 'malformed-answer')) throw error;
      if (UNANSWERED.has(error.code)) mayBeAccepted = true;
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
    mayBeAccepted = true;
  }
}

/** Depends on time or node: an earlier submission may have been accepted. */
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
