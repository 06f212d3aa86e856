/**
 * One submission stream, independent of the carrier: transactions in, results and notices out.
 *
 *   message --decode--> queue --batches, a few at a time--> backend --> results
 *                                                     accepted --> followed --moves--> notices --> ended: no longer followed
 *
 * Memory is bounded: the session pauses the carrier while transactions are queued, that is while enough batches are open or
 * the reader does not take its results. followed-transactions.ts bounds the followed transactions.
 */
import type { Clock } from '@slipstream/ports';
import {
  type ByeReason,
  decodeSubmission,
  encodeHeartbeat,
  encodeHello,
  encodeResults,
  type SubmissionCode,
  type SubmissionNoticeWish,
} from '@slipstream/schema';
import { genesisHashOf } from '@slipstream/types';
import type { NodeBackend, SubmitOutcome } from '../backend.ts';
import { FollowedTransactions } from './followed-transactions.ts';
import { createStallWatch } from './stall-watch.ts';

interface SubmissionCarrier {
  send(bytes: Uint8Array): void;
  /** Bytes buffered and not yet handed to the operating system. */
  unsentBytes(): number;
  /** Calls back whenever buffered bytes were handed over. */
  onRoom(listener: () => void): void;
  /** Stops reading until `resume`; bytes already read may still arrive. */
  pause(): void;
  resume(): void;
  /** The last call. */
  end(reason: ByeReason, detail: string): void;
}

export interface SubmissionComponents {
  readonly backend: Pick<NodeBackend, 'genesis' | 'submitMany' | 'transaction' | 'moves'>;
  readonly clock: Clock;
  /** Shared by all streams. */
  readonly followed: { total: number };
  /** The address group whose budget is charged. */
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
  take(message: Uint8Array): void;
  /** Idempotent; sends bye unless the carrier is closed. */
  end(reason: ByeReason, detail: string): void;
  /** Called when the carrier is closed. Idempotent. */
  gone(): void;
}

/** Per submit message: seven of the largest transactions, or some 2,100 transfers. */
export const SUBMISSION_MESSAGE_BYTES_MAX = 512 * 1024;
/** Per submit message: the signature of a transaction alone has 64 bytes. */
const MESSAGE_TRANSACTIONS_MAX = SUBMISSION_MESSAGE_BYTES_MAX / 64;
/** Read and not yet submitted. A paused carrier may still deliver bytes that it had read. */
const QUEUED_BYTES_MAX = 2 * SUBMISSION_MESSAGE_BYTES_MAX;
/** The verifier's batch size, so that several batches run in parallel. */
const BATCH_TRANSACTIONS_MAX = 512;
const BATCHES_UNDER_WAY_MAX = 4;
const NO_ID = new Uint8Array(32);

export function openSubmissionSession(
  components: SubmissionComponents,
  carrier: SubmissionCarrier,
  wish: SubmissionNoticeWish,
  limits: SubmissionLimits,
): SubmissionSession {
  const stream = new SubmissionIntake(components, carrier, wish, limits);
  stream.greet();
  return stream;
}

class SubmissionIntake implements SubmissionSession {
  readonly #components: SubmissionComponents;
  readonly #carrier: SubmissionCarrier;
  readonly #limits: SubmissionLimits;
  readonly #followed: FollowedTransactions;
  readonly #isStalled: () => boolean;
  readonly #queue: Uint8Array[] = [];
  #queuedBytes = 0;
  #received = 0;
  #batchesUnderWay = 0;
  #isOpen = true;
  #isPaused = false;
  #isQuiet = true;
  #isLookingUp = false;
  #cancelHeartbeat: () => void;

  constructor(
    components: SubmissionComponents,
    carrier: SubmissionCarrier,
    wish: SubmissionNoticeWish,
    limits: SubmissionLimits,
  ) {
    this.#components = components;
    this.#carrier = carrier;
    this.#limits = limits;
    this.#isStalled = createStallWatch(carrier.unsentBytes);
    this.#cancelHeartbeat = components.clock.after(limits.heartbeatMs, () => this.#heartbeat());
    const canSend = () => carrier.unsentBytes() <= limits.streamBufferBytesMax;
    const outlet = { canSend, send: (bytes: Uint8Array) => this.#send(bytes) };
    this.#followed = new FollowedTransactions(components, outlet, wish, limits);
    carrier.onRoom(() => {
      this.#work();
      this.#followed.sendNotices();
    });
  }

  greet(): void {
    this.#send(
      encodeHello({
        windowTransactions: this.#limits.submissionWindow,
        frameBytesMax: SUBMISSION_MESSAGE_BYTES_MAX,
        followedMax: this.#limits.submissionFollowedMax,
        genesisHash: genesisHashOf(this.#components.backend.genesis),
      }),
    );
  }

  take(message: Uint8Array): void {
    if (!this.#isOpen) return;
    if (message.length > SUBMISSION_MESSAGE_BYTES_MAX) return this.end('malformed-message', 'the message is too large');
    const decoded = decodeSubmission(message, MESSAGE_TRANSACTIONS_MAX);
    if (!decoded.ok) return this.end('malformed-message', decoded.error);
    for (const transaction of decoded.value) {
      this.#queue.push(transaction);
      this.#queuedBytes += transaction.length;
    }
    if (this.#queuedBytes > QUEUED_BYTES_MAX) {
      return this.end('too-many-messages', 'more was sent than the node reads ahead');
    }
    this.#work();
  }

  end(reason: ByeReason, detail: string): void {
    if (!this.#isOpen) return;
    this.gone();
    this.#carrier.end(reason, detail);
  }

  gone(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#followed.stop();
    this.#queue.length = 0;
    this.#cancelHeartbeat();
  }

  /** Submits queued transactions while few enough batches are open and the reader takes its results. */
  #work(): void {
    while (this.#isOpen && this.#queue.length > 0 && this.#mayWork()) {
      void this.#submit(this.#queue.splice(0, BATCH_TRANSACTIONS_MAX));
    }
    const isFull = this.#queue.length > 0;
    if (isFull === this.#isPaused || !this.#isOpen) return;
    this.#isPaused = isFull;
    if (isFull) this.#carrier.pause();
    else this.#carrier.resume();
  }

  #mayWork(): boolean {
    const { streamBufferBytesMax } = this.#limits;
    return this.#batchesUnderWay < BATCHES_UNDER_WAY_MAX && this.#carrier.unsentBytes() <= streamBufferBytesMax;
  }

  async #submit(batch: readonly Uint8Array[]): Promise<void> {
    const { backend, source } = this.#components;
    const first = this.#received;
    const reserved = this.#followed.reserve(batch.length);
    this.#received += batch.length;
    for (const { length } of batch) this.#queuedBytes -= length;
    this.#batchesUnderWay += 1;
    try {
      const outcomes = reserved === 0 ? [] : await backend.submitMany(batch.slice(0, reserved), source);
      this.#followed.release(reserved - (this.#isOpen ? this.#followed.follow(first, outcomes) : 0));
      if (this.#isOpen) this.#answer(first, outcomes, batch.length - reserved);
    } catch {
      this.#followed.release(reserved);
      this.end('internal', 'the node could not take transactions: its log has the reason');
    } finally {
      this.#batchesUnderWay -= 1;
    }
    this.#work();
  }

  #answer(first: number, outcomes: readonly SubmitOutcome[], refused: number): void {
    let retryAfterMs = refused > 0 ? this.#limits.heartbeatMs : 0;
    const results = outcomes.map((outcome) => {
      if (outcome.type === 'overloaded') retryAfterMs = Math.max(retryAfterMs, outcome.retryAfterMs);
      return { code: codeOf(outcome), id: outcome.type === 'accepted' ? outcome.id : NO_ID };
    });
    for (let i = 0; i < refused; i++) results.push({ code: 'too-many-followed', id: NO_ID });
    this.#send(encodeResults({ first, retryAfterMs, results }));
  }

  #heartbeat(): void {
    if (!this.#isOpen) return;
    this.#cancelHeartbeat = this.#components.clock.after(this.#limits.heartbeatMs, () => this.#heartbeat());
    if (this.#isStalled()) return this.end('slow', 'nothing was read for a long time');
    if (this.#isQuiet) this.#carrier.send(encodeHeartbeat());
    this.#isQuiet = true;
    if (this.#isLookingUp) return;
    this.#isLookingUp = true;
    void this.#followed.lookUpOverdue().finally(() => {
      this.#isLookingUp = false;
    });
  }

  #send(bytes: Uint8Array): void {
    this.#isQuiet = false;
    this.#carrier.send(bytes);
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
