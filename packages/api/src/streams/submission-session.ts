/**
 * One submission stream, whatever carries it: transactions in, results and notices out.
 *
 *   message --decode--> queue --batches, a few under way--> backend --> results
 *                                                     accepted --> followed --moves--> notices --> ended: no longer followed
 *
 * Its memory is bounded: while its batches are under way, or the reader does not take its results, nothing more is read from
 * the carrier; notices of a reader that lags are merged, the newest of each transaction stays.
 */
import type { Clock } from '@slipstream/ports';
import {
  type ByeReason,
  decodeSubmission,
  encodeHeartbeat,
  encodeHello,
  encodeNotices,
  encodeResults,
  type SubmissionCode,
  type SubmissionNotice,
  type SubmissionNoticeWish,
  type TransactionStatus,
} from '@slipstream/schema';
import { genesisHashOf, hexOf, type TransactionId } from '@slipstream/types';
import type { NodeBackend, SubmitOutcome, TransactionMove } from '../backend.ts';
import { createStallWatch } from './stall-watch.ts';

export interface SubmissionCarrier {
  send(bytes: Uint8Array): void;
  /** Bytes accepted and not yet handed to the operating system. */
  unsentBytes(): number;
  /** Calls back whenever some of them were handed over. */
  onRoom(listener: () => void): void;
  /** Reads nothing more until `resume`; what was read already may still come. */
  pause(): void;
  resume(): void;
  /** Nothing is sent after this. */
  end(reason: ByeReason, detail: string): void;
}

export interface SubmissionComponents {
  readonly backend: Pick<NodeBackend, 'genesis' | 'submitMany' | 'transaction' | 'moves'>;
  readonly clock: Clock;
  /** Followed by all streams together. */
  readonly followed: { total: number };
  /** Whose budget pays: the address group. */
  readonly source?: string;
}

export interface SubmissionLimits {
  readonly submissionWindow: number;
  readonly submissionFollowedMax: number;
  readonly submissionFollowedTotalMax: number;
  readonly streamBufferBytesMax: number;
  readonly heartbeatMs: number;
}

export interface SubmissionSession {
  /** A message of the client. */
  take(message: Uint8Array): void;
  /** Idempotent; says bye unless the carrier is gone. */
  end(reason: ByeReason, detail: string): void;
  /** The carrier is gone. Idempotent. */
  gone(): void;
}

/** Of one submit message: seven of the largest transactions, or some 2,100 transfers. */
export const SUBMISSION_MESSAGE_BYTES_MAX = 512 * 1024;
/** Of one submit message: a signature alone has 64 bytes. */
const MESSAGE_TRANSACTIONS_MAX = SUBMISSION_MESSAGE_BYTES_MAX / 64;
/** Read and not yet with the backend. A carrier that is paused may still bring what it had read. */
const QUEUED_BYTES_MAX = 2 * SUBMISSION_MESSAGE_BYTES_MAX;
/** To the backend at once: what its verifier takes as one batch, so that several are under way. */
const BATCH_TRANSACTIONS_MAX = 512;
const BATCHES_UNDER_WAY_MAX = 4;
/** Moves come by the block; what comes within this time is one message. */
const NOTICE_DELAY_MS = 5;
const NOTICES_PER_MESSAGE_MAX = 4096;
/** So long after its expiry the end of a transaction is looked up, and again as often while it has none. */
const OVERDUE_MS = 30_000;
const OVERDUE_LOOKUPS_MAX = 1000;

const ENDS: ReadonlySet<TransactionStatus> = new Set(['final', 'failed', 'expired']);
const NO_ID = new Uint8Array(32);

interface Followed {
  readonly number: number;
  readonly id: TransactionId;
  readonly expiryMs: number;
}

export function openSubmissionSession(
  { backend, clock, followed: shared, source }: SubmissionComponents,
  carrier: SubmissionCarrier,
  wish: SubmissionNoticeWish,
  limits: SubmissionLimits,
): SubmissionSession {
  const queue: Uint8Array[] = [];
  let queuedBytes = 0;
  let received = 0;
  let batchesUnderWay = 0;
  /** Accepted or on the way to it. */
  let reserved = 0;
  const followed = new Map<string, Followed>();
  let notices = new Map<number, SubmissionNotice>();
  let cancelNotices: (() => void) | undefined;
  let open = true;
  let isPaused = false;
  let quiet = true;
  const isStalled = createStallWatch(carrier.unsentBytes);
  let isLookingUp = false;
  let cancelHeartbeat = clock.after(limits.heartbeatMs, heartbeat);
  const unsubscribe = wish === 'none' ? () => {} : backend.moves.subscribe(moved);
  carrier.onRoom(() => {
    work();
    sendNotices();
  });
  send(
    encodeHello({
      windowTransactions: limits.submissionWindow,
      frameBytesMax: SUBMISSION_MESSAGE_BYTES_MAX,
      followedMax: limits.submissionFollowedMax,
      genesisHash: genesisHashOf(backend.genesis),
    }),
  );
  return { take, end, gone };

  function send(bytes: Uint8Array): void {
    quiet = false;
    carrier.send(bytes);
  }

  function take(message: Uint8Array): void {
    if (!open) return;
    if (message.length > SUBMISSION_MESSAGE_BYTES_MAX) return end('malformed-message', 'the message is too large');
    const decoded = decodeSubmission(message, MESSAGE_TRANSACTIONS_MAX);
    if (!decoded.ok) return end('malformed-message', decoded.error);
    for (const transaction of decoded.value) {
      queue.push(transaction);
      queuedBytes += transaction.length;
    }
    if (queuedBytes > QUEUED_BYTES_MAX) return end('too-many-messages', 'more was sent than the node reads ahead');
    work();
  }

  /** Hands over what waits, while few enough batches are under way and the reader takes its results. */
  function work(): void {
    while (open && queue.length > 0 && mayWork()) void submit(queue.splice(0, BATCH_TRANSACTIONS_MAX));
    const isFull = queue.length > 0;
    if (isFull === isPaused || !open) return;
    isPaused = isFull;
    if (isFull) carrier.pause();
    else carrier.resume();
  }

  function mayWork(): boolean {
    return batchesUnderWay < BATCHES_UNDER_WAY_MAX && carrier.unsentBytes() <= limits.streamBufferBytesMax;
  }

  async function submit(batch: readonly Uint8Array[]): Promise<void> {
    const first = received;
    const room = reserve(batch.length);
    received += batch.length;
    for (const { length } of batch) queuedBytes -= length;
    batchesUnderWay += 1;
    try {
      const outcomes = room === 0 ? [] : await backend.submitMany(batch.slice(0, room), source);
      release(room - (open ? follow(first, outcomes) : 0));
      if (open) answer(first, outcomes, batch.length - room);
    } catch {
      release(room);
      end('internal', 'the node could not take transactions: its log has the reason');
    } finally {
      batchesUnderWay -= 1;
    }
    work();
  }

  /** How many more may be followed, of these; without notices nothing is. */
  function reserve(count: number): number {
    if (wish === 'none') return count;
    const left = Math.min(limits.submissionFollowedMax - reserved, limits.submissionFollowedTotalMax - shared.total);
    const room = Math.max(0, Math.min(count, left));
    reserved += room;
    shared.total += room;
    return room;
  }

  function release(count: number): void {
    if (wish === 'none') return;
    reserved -= count;
    shared.total -= count;
  }

  /** Returns how many are followed from now on. */
  function follow(first: number, outcomes: readonly SubmitOutcome[]): number {
    if (wish === 'none') return 0;
    const before = followed.size;
    for (const [at, outcome] of outcomes.entries()) {
      if (outcome.type !== 'accepted') continue;
      const number = first + at;
      const { id, status, height = 0, index = 0, expiryMs = clock.wallMs() } = outcome;
      const key = hexOf(id);
      // Sent twice on this stream: what becomes of it is told under its first number.
      if (followed.has(key)) continue;
      if (!ENDS.has(status)) followed.set(key, { number, id, expiryMs });
      if (status !== 'pending') note({ number, status, height, index });
    }
    return followed.size - before;
  }

  function answer(first: number, outcomes: readonly SubmitOutcome[], refused: number): void {
    let retryAfterMs = refused > 0 ? limits.heartbeatMs : 0;
    const results = outcomes.map((outcome) => {
      if (outcome.type === 'overloaded') retryAfterMs = Math.max(retryAfterMs, outcome.retryAfterMs);
      return { code: codeOf(outcome), id: outcome.type === 'accepted' ? outcome.id : NO_ID };
    });
    for (let i = 0; i < refused; i++) results.push({ code: 'too-many-followed', id: NO_ID });
    send(encodeResults({ first, retryAfterMs, results }));
  }

  function moved(moves: readonly TransactionMove[]): void {
    for (const { id, status, height = 0, index = 0 } of moves) {
      const entry = followed.get(id);
      if (entry === undefined || status === 'pending') continue;
      if (ENDS.has(status)) unfollow(id);
      note({ number: entry.number, status, height, index });
    }
  }

  function unfollow(id: string): void {
    if (followed.delete(id)) release(1);
  }

  function note(notice: SubmissionNotice): void {
    if (wish === 'none' || (wish === 'ends' && !ENDS.has(notice.status))) return;
    notices.set(notice.number, notice);
    cancelNotices ??= clock.after(NOTICE_DELAY_MS, () => {
      cancelNotices = undefined;
      sendNotices();
    });
  }

  function sendNotices(): void {
    while (open && notices.size > 0 && carrier.unsentBytes() <= limits.streamBufferBytesMax) {
      const all = [...notices.values()];
      notices = new Map(all.slice(NOTICES_PER_MESSAGE_MAX).map((notice) => [notice.number, notice]));
      send(encodeNotices(all.slice(0, NOTICES_PER_MESSAGE_MAX)));
    }
  }

  function heartbeat(): void {
    if (!open) return;
    cancelHeartbeat = clock.after(limits.heartbeatMs, heartbeat);
    if (isStalled()) return end('slow', 'nothing was read for a long time');
    if (quiet) carrier.send(encodeHeartbeat());
    quiet = true;
    if (isLookingUp) return;
    isLookingUp = true;
    void lookUpOverdue().finally(() => {
      isLookingUp = false;
    });
  }

  /** What nobody told the end of: every accepted transaction gets one. */
  async function lookUpOverdue(): Promise<void> {
    const dueMs = clock.wallMs() - OVERDUE_MS;
    const overdue: [string, Followed][] = [];
    for (const entry of followed) {
      if (entry[1].expiryMs < dueMs) overdue.push(entry);
      if (overdue.length === OVERDUE_LOOKUPS_MAX) break;
    }
    for (const [key, { id, number }] of overdue) {
      const found = await backend.transaction(id).catch(() => undefined);
      if (!open || found === undefined) return;
      if (!followed.has(key)) continue;
      const record = found.type === 'found' ? found.value : undefined;
      if (record !== undefined && !ENDS.has(record.status)) {
        // The chain stands still, or is behind: it may still be included. To the end of those that are looked at.
        followed.delete(key);
        followed.set(key, { number, id, expiryMs: clock.wallMs() });
        continue;
      }
      unfollow(key);
      const place = { height: record?.height ?? 0, index: record?.receipt?.index ?? 0 };
      note({ number, status: record?.status ?? 'expired', ...place });
    }
  }

  function end(reason: ByeReason, detail: string): void {
    if (!open) return;
    gone();
    carrier.end(reason, detail);
  }

  function gone(): void {
    if (!open) return;
    open = false;
    release(followed.size);
    followed.clear();
    notices.clear();
    queue.length = 0;
    unsubscribe();
    cancelHeartbeat();
    cancelNotices?.();
  }
}

function codeOf(outcome: SubmitOutcome): SubmissionCode {
  switch (outcome.type) {
    case 'accepted':
      return outcome.isKnown === true ? 'known' : 'accepted';
    case 'malformed':
      return 'malformed';
    case 'invalid':
      return outcome.reason;
    case 'conflict':
    case 'overloaded':
    case 'not-ready':
      return outcome.type;
    default:
      return outcome satisfies never;
  }
}
