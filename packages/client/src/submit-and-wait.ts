/**
 * Submit and wait: sends until a node has it, asks until it has ended.
 *
 * Sending again is always safe, since the id names the bytes; so whatever may pass (no answer, 429, 503, a proxy's 502) is tried again until
 * the transaction has expired, and a refusal that will not pass is thrown at once. What was not answered may have been taken in: a refusal
 * of the same bytes after that is no end (whoever signs anew may pay twice), and is thrown only when the time is over. Nor is a page of something
 * between here and the node.
 */
import type { RefusalReason, TransactionView } from '@slipstream/schema';
import type { Client } from './client.ts';
import { deadlineAfter, eitherSignal } from './deadline.ts';
import { ClientError, type ClientErrorCode } from './errors.ts';
import type { SignedTransaction } from './transactions.ts';
import type { WaitOptions } from './wait-options.ts';

/** One request waits this long; then it is asked again. */
const ASK_MS = 10_000;
/** After the expiry: a block that includes it may still be on its way to being certified. */
const EXPIRY_MARGIN_MS = 15_000;
const RETRY_MS_MIN = 100;
const RETRY_MS_MAX = 3_000;

/** Failures that do not tell whether a node took in what was sent. */
const UNANSWERED: ReadonlySet<ClientErrorCode> = new Set<ClientErrorCode>(['network', 'timeout', 'internal']);
/** Refusals that every node gives, whenever it is asked, and the one whose remedy is to sign the same transaction with the credential. */
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
  /** Of one that a node may have taken in before. */
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
      // The node had no room for one more wait, and answered at once.
      retryMs = Math.min(RETRY_MS_MAX, retryMs * 2);
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      if (overall.aborted && !signal?.aborted) break;
      // A node that restarted may have lost what it had taken in: it is sent again.
      if (error.code === 'transaction-unknown' && accepted) accepted = false;
      // The node has it with another authority of a session: one id, so what is asked for is what becomes of both.
      else if (error.code === 'conflict') accepted = true;
      // It may have been taken in before: a block that this node has not got yet may hold it, so it is asked for until the deadline.
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

/** Whether another node, or this one a moment ago, may have taken in what is refused. */
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
