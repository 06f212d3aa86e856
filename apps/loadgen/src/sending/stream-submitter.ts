/**
 * Submission by one stream per node (packages/schema, submission-wire): no JSON, no hexadecimal, no request per batch, and a
 * notice for every certified chunk.
 *
 *   submit(node, batch) --> stream of the node, opened at first use --> results by number --> outcomes of the batch
 *                                     \--lost--> open batches are unanswered; the next batch reopens it
 */
import type { SubmissionStream } from '@slipstream/client';
import type { SubmissionCode, SubmissionResults } from '@slipstream/schema';
import type { SignedTransfer } from '../signing/signed-batch.ts';
import type { NodeHandle } from './node-handle.ts';
import type { SendOutcome, Submitter } from './submit.ts';

interface BatchUnderWay {
  readonly transfers: readonly SignedTransfer[];
  readonly outcomes: SendOutcome[];
  left: number;
  done(outcomes: readonly SendOutcome[]): void;
}

interface OpenStream {
  readonly stream: SubmissionStream;
  /** Transactions without a result, by number. */
  readonly unanswered: Map<number, { readonly batch: BatchUnderWay; readonly index: number }>;
  /** Accepted and not attested, by number. */
  readonly unattested: Map<number, string>;
}

const ACCEPTED: ReadonlySet<SubmissionCode> = new Set<SubmissionCode>(['accepted', 'known']);
const FOR_NOW: ReadonlySet<SubmissionCode> = new Set<SubmissionCode>([
  'overloaded',
  'not-ready',
  'too-many-followed',
  'internal',
]);
/** Per stream; the attestations of further transactions are not timed. */
const UNATTESTED_MAX = 200_000;
const UNANSWERED: SendOutcome = { type: 'unanswered', reason: 'network' };

export function createStreamSubmitter(): Submitter {
  const streams = new Map<NodeHandle, OpenStream>();
  const listeners = new Set<(id: string) => void>();

  function open(node: NodeHandle): OpenStream {
    const unanswered: OpenStream['unanswered'] = new Map();
    const unattested: OpenStream['unattested'] = new Map();
    const stream = node.client.stream({
      onResults: (results) => answer(unanswered, unattested, results),
      onNotices: (notices) => {
        for (const { number, status } of notices) {
          const id = unattested.get(number);
          if (id === undefined || status === 'pending') continue;
          unattested.delete(number);
          // An ordered or ended transaction may have been referenced without a certified chunk: it has no attestation time.
          if (status === 'attested') for (const listener of listeners) listener(id);
        }
      },
      onClosed: () => {
        if (streams.get(node) === opened) streams.delete(node);
        for (const batch of new Set([...unanswered.values()].map((each) => each.batch))) giveUp(batch);
        unanswered.clear();
      },
    });
    const opened: OpenStream = { stream, unanswered, unattested };
    streams.set(node, opened);
    return opened;
  }

  function answer(
    unanswered: OpenStream['unanswered'],
    unattested: OpenStream['unattested'],
    { first, retryAfterMs, results }: SubmissionResults,
  ): void {
    for (const [at, { code }] of results.entries()) {
      const number = first + at;
      const waiting = unanswered.get(number);
      if (waiting === undefined) continue;
      unanswered.delete(number);
      const { batch, index } = waiting;
      const id = batch.transfers[index]?.id;
      if (ACCEPTED.has(code) && id !== undefined && unattested.size < UNATTESTED_MAX) unattested.set(number, id);
      batch.outcomes[index] = outcomeOf(code, retryAfterMs);
      batch.left -= 1;
      if (batch.left === 0) batch.done(batch.outcomes);
    }
  }

  return {
    async submit(node, transfers) {
      const opened = streams.get(node) ?? open(node);
      const { stream, unanswered } = opened;
      try {
        await stream.opened;
        if (stream.room() < transfers.length) {
          return transfers.map((): SendOutcome => ({ type: 'refused', reason: 'window', retryAfterMs: undefined }));
        }
        return await new Promise<readonly SendOutcome[]>((done) => {
          const batch: BatchUnderWay = { transfers, outcomes: [], left: transfers.length, done };
          const first = stream.send(transfers.map(({ bytes }) => bytes));
          for (const index of transfers.keys()) unanswered.set(first + index, { batch, index });
        });
      } catch {
        return transfers.map(() => UNANSWERED);
      }
    },
    onAttested(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close() {
      for (const { stream } of streams.values()) stream.close();
      streams.clear();
    },
  };
}

function outcomeOf(code: SubmissionCode, retryAfterMs: number): SendOutcome {
  if (ACCEPTED.has(code)) return { type: 'accepted' };
  return { type: 'refused', reason: code, retryAfterMs: FOR_NOW.has(code) ? retryAfterMs : undefined };
}

/** Completes a batch: transactions without a result are unanswered. */
function giveUp({ transfers, outcomes, done }: BatchUnderWay): void {
  done(transfers.map((_, index) => outcomes[index] ?? UNANSWERED));
}
