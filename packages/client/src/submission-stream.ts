/**
 * The submission stream of a node: many transactions over one WebSocket, with results and notices of their status.
 *
 *   connecting --hello--> open: send within the window <--> results free the window, notices report statuses
 *                           \--lost or closed--> transactions without result are rejected, and may be sent again
 *
 * A transaction's number on the stream counts from 0. The stream does not reconnect, because numbers belong to one
 * connection. Accepted transactions stay accepted when it is lost; look them up by id.
 */
import {
  decodeSubmissionMessage,
  encodeSubmission,
  routePath,
  type SubmissionHello,
  type SubmissionNotice,
  type SubmissionNoticeWish,
  type SubmissionResult,
  type SubmissionResults,
  submissionBytes,
} from '@slipstream/schema';
import { ClientError } from './errors.ts';
import { closeReason, type WebSocketLike, webSocketUrl } from './stream-socket.ts';
import type { SignedTransaction } from './transactions.ts';

/** The part of the platform's WebSocket that is used, with binary messages. */
interface BinaryWebSocket extends WebSocketLike {
  binaryType: string;
  send(message: Uint8Array<ArrayBuffer>): void;
}
export type BinaryWebSocketConstructor = new (url: string) => BinaryWebSocket;

export interface SubmissionStreamOptions {
  /** Every status (default), only the last of each transaction, or none. */
  readonly notices?: SubmissionNoticeWish;
  /** One row per transaction; the first has number `first`. Copy ids during the call: they share a buffer. */
  readonly onResults?: (results: SubmissionResults) => void;
  readonly onNotices?: (notices: readonly SubmissionNotice[]) => void;
  readonly onRoom?: () => void;
  /** Called when the stream ends; undefined after `close`. */
  readonly onClosed?: (error: ClientError | undefined) => void;
}

export interface SubmissionStream {
  /** Rejects with ClientError `network` when the node cannot be reached or refuses the stream. */
  readonly opened: Promise<SubmissionHello>;
  /** Free capacity of the window; 0 while connecting and once closed. */
  room(): number;
  /**
   * Sends at once, in several messages if needed; returns the number of the first transaction. Throws ClientError
   * `bad-argument` for more than `room()`, and `network` when the stream has ended.
   */
  send(transactions: readonly Uint8Array[]): number;
  /** Waits for capacity and for the result. Rejects with ClientError `network` when the stream ends first. */
  submit(transaction: SignedTransaction | Uint8Array): Promise<SubmissionResult & { readonly number: number }>;
  /** Idempotent. */
  close(): void;
}

/** The node sends something at least every 5 s. */
const IDLE_MS_MAX = 15_000;

type Submitted = SubmissionResult & { readonly number: number };

interface Waiter {
  resolve(result: Submitted): void;
  reject(error: ClientError): void;
}

export function openSubmissionStream(
  url: string,
  WebSocket: BinaryWebSocketConstructor,
  options: SubmissionStreamOptions = {},
): SubmissionStream {
  return new SocketSubmissions(url, new WebSocket(streamUrl(url, options.notices)), options);
}

class SocketSubmissions implements SubmissionStream {
  readonly #url: string;
  readonly #socket: BinaryWebSocket;
  readonly #options: SubmissionStreamOptions;
  readonly #opening = Promise.withResolvers<SubmissionHello>();
  /** `submit` calls without a result, by number. */
  readonly #waiters = new Map<number, Waiter>();
  /** `submit` calls that wait for capacity, in order. */
  readonly #queue: { readonly bytes: Uint8Array; readonly waiter: Waiter }[] = [];
  #hello: SubmissionHello | undefined;
  #sent = 0;
  #unanswered = 0;
  #isOver = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(url: string, socket: BinaryWebSocket, options: SubmissionStreamOptions) {
    this.#url = url;
    this.#socket = socket;
    this.#options = options;
    this.#opening.promise.catch(() => {}); // prevents an unhandled rejection when the caller does not await `opened`
    socket.binaryType = 'arraybuffer';
    socket.addEventListener('message', ({ data }) => this.#receive(data));
    socket.addEventListener('close', (event) => this.#end(closeReason(event)));
    socket.addEventListener('error', () => {
      // A close event with the reason follows.
    });
    this.#expectSign();
  }

  get opened(): Promise<SubmissionHello> {
    return this.#opening.promise;
  }

  room(): number {
    return this.#hello === undefined || this.#isOver ? 0 : this.#hello.windowTransactions - this.#unanswered;
  }

  send(transactions: readonly Uint8Array[]): number {
    if (this.#isOver || this.#hello === undefined) {
      throw new ClientError('network', 'the submission stream is not open');
    }
    const room = this.room();
    if (transactions.length > room) {
      throw new ClientError('bad-argument', `${transactions.length} transactions are more than the room for ${room}`);
    }
    const first = this.#sent;
    this.#sent += transactions.length;
    this.#unanswered += transactions.length;
    for (const message of messagesOf(transactions, this.#hello.frameBytesMax)) this.#socket.send(message);
    return first;
  }

  submit(transaction: SignedTransaction | Uint8Array): Promise<Submitted> {
    const bytes = transaction instanceof Uint8Array ? transaction : transaction.bytes;
    return new Promise((resolve, reject) => {
      if (this.#isOver) return reject(new ClientError('network', 'the submission stream is over'));
      const waiter = { resolve, reject };
      if (this.#queue.length > 0 || this.room() === 0) this.#queue.push({ bytes, waiter });
      else this.#waiters.set(this.send([bytes]), waiter);
    });
  }

  close(): void {
    this.#end(undefined);
  }

  #expectSign(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#end('no message for too long'), IDLE_MS_MAX);
  }

  #receive(data: unknown): void {
    if (this.#isOver || !(data instanceof ArrayBuffer)) return;
    this.#expectSign();
    const message = decodeSubmissionMessage(new Uint8Array(data));
    if (!message.ok) return this.#end(message.error);
    switch (message.value.type) {
      case 'hello':
        this.#hello = message.value;
        this.#opening.resolve(message.value);
        return this.#sendQueued();
      case 'results':
        return this.#onResults(message.value);
      case 'notices':
        return this.#options.onNotices?.(message.value.notices);
      case 'heartbeat':
        return;
      default:
        return message.value satisfies never;
    }
  }

  #onResults(results: SubmissionResults): void {
    this.#unanswered -= results.results.length;
    this.#options.onResults?.(results);
    for (const [at, result] of this.#waiters.size > 0 ? results.results.entries() : []) {
      const number = results.first + at;
      this.#waiters.get(number)?.resolve({ ...result, id: result.id.slice(), number });
      this.#waiters.delete(number);
    }
    this.#sendQueued();
  }

  #sendQueued(): void {
    const next = this.#queue.splice(0, this.room());
    if (next.length > 0) {
      const first = this.send(next.map(({ bytes }) => bytes));
      for (const [at, { waiter }] of next.entries()) this.#waiters.set(first + at, waiter);
    }
    if (this.room() > 0) this.#options.onRoom?.();
  }

  /** `reason` undefined: the caller closed the stream. */
  #end(reason: string | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#socket.close(1000);
    const url = this.#url;
    const text = reason ?? 'the caller closed it';
    const error = new ClientError('network', `the submission stream of ${url} is over: ${text}`, { url });
    this.#opening.reject(error);
    for (const { reject } of this.#waiters.values()) reject(error);
    for (const { waiter } of this.#queue) waiter.reject(error);
    this.#waiters.clear();
    this.#queue.length = 0;
    this.#options.onClosed?.(reason === undefined ? undefined : error);
  }
}

/** As few messages as `bytesMax` allows. */
function messagesOf(transactions: readonly Uint8Array[], bytesMax: number): readonly Uint8Array<ArrayBuffer>[] {
  const messages: Uint8Array<ArrayBuffer>[] = [];
  let from = 0;
  let bytes = 1;
  for (const [at, transaction] of transactions.entries()) {
    const more = submissionBytes(transaction);
    if (bytes + more > bytesMax && at > from) {
      messages.push(encodeSubmission(transactions.slice(from, at)));
      from = at;
      bytes = 1;
    }
    bytes += more;
  }
  if (from < transactions.length) messages.push(encodeSubmission(transactions.slice(from)));
  return messages;
}

function streamUrl(url: string, notices: SubmissionNoticeWish | undefined): string {
  return webSocketUrl(url, `${routePath('submitStream')}${notices === undefined ? '' : `?notices=${notices}`}`);
}
