/**
 * The submission stream of a node: many transactions over one WebSocket, their results and what becomes of them.
 *
 *   connecting --hello--> open: send within the window <--> results give room back, notices tell
 *                           \--lost or closed--> what has no result is rejected, and may be sent again
 *
 * A transaction is named by its number on the stream, from 0. The connection is not made again by itself: numbers belong to
 * one connection. What was accepted stays so when it is lost; ask for it by id.
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

/** What is used of the platform's WebSocket, bytes included. */
export interface BinaryWebSocket extends WebSocketLike {
  binaryType: string;
  send(message: Uint8Array<ArrayBuffer>): void;
}
export type BinaryWebSocketConstructor = new (url: string) => BinaryWebSocket;

export interface SubmissionStreamOptions {
  /** Which notices: every status (default), only the last one of each transaction, or none. */
  readonly notices?: SubmissionNoticeWish;
  /** One row a transaction, the first being number `first`; to be taken in at once, ids share a buffer. */
  readonly onResults?: (results: SubmissionResults) => void;
  readonly onNotices?: (notices: readonly SubmissionNotice[]) => void;
  /** There is room in the window again. */
  readonly onRoom?: () => void;
  /** The stream is over. Undefined: by `close`. */
  readonly onClosed?: (error: ClientError | undefined) => void;
}

export interface SubmissionStream {
  /** Rejects with ClientError `network` when the node cannot be reached or refuses the stream. */
  readonly opened: Promise<SubmissionHello>;
  /** Transactions that may be sent now; 0 while connecting and once closed. */
  room(): number;
  /**
   * Sends at once, in as many messages as it takes; returns the number of the first. Throws ClientError `bad-argument` when
   * there are more than `room()`, and `network` when the stream is over.
   */
  send(transactions: readonly Uint8Array[]): number;
  /** Waits for room and for the result. Rejects with ClientError `network` when the stream ends before. */
  submit(transaction: SignedTransaction | Uint8Array): Promise<SubmissionResult & { readonly number: number }>;
  /** Idempotent. */
  close(): void;
}

/** The node sends something at least every 5 s. */
const SILENCE_MS_MAX = 15_000;

interface Waiter {
  resolve(result: SubmissionResult & { readonly number: number }): void;
  reject(error: ClientError): void;
}

export function openSubmissionStream(
  url: string,
  WebSocket: BinaryWebSocketConstructor,
  options: SubmissionStreamOptions = {},
): SubmissionStream {
  let hello: SubmissionHello | undefined;
  let sent = 0;
  let unanswered = 0;
  let isOver = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** `submit` calls by number, and those that wait for room, in order. */
  const waiters = new Map<number, Waiter>();
  const queue: { readonly bytes: Uint8Array; readonly waiter: Waiter }[] = [];
  const opening = Promise.withResolvers<SubmissionHello>();
  opening.promise.catch(() => {}); // whoever looks at `opened` sees it

  const socket = new WebSocket(streamUrl(url, options.notices));
  socket.binaryType = 'arraybuffer';
  socket.addEventListener('message', ({ data }) => receive(data));
  socket.addEventListener('close', (event) => over(closeReason(event)));
  socket.addEventListener('error', () => {
    // A close event follows and says why.
  });
  watch();

  return { opened: opening.promise, room, send, submit, close: () => over(undefined) };

  function watch(): void {
    clearTimeout(timer);
    timer = setTimeout(() => over('silent for too long'), SILENCE_MS_MAX);
  }

  function receive(data: unknown): void {
    if (isOver || !(data instanceof ArrayBuffer)) return;
    watch();
    const message = decodeSubmissionMessage(new Uint8Array(data));
    if (!message.ok) return over(message.error);
    switch (message.value.type) {
      case 'hello':
        hello = message.value;
        opening.resolve(hello);
        return gainRoom();
      case 'results':
        return answer(message.value);
      case 'notices':
        return options.onNotices?.(message.value.notices);
      case 'heartbeat':
        return;
      default:
        return message.value satisfies never;
    }
  }

  function answer(results: SubmissionResults): void {
    unanswered -= results.results.length;
    options.onResults?.(results);
    for (const [at, result] of waiters.size > 0 ? results.results.entries() : []) {
      const number = results.first + at;
      waiters.get(number)?.resolve({ ...result, id: result.id.slice(), number });
      waiters.delete(number);
    }
    gainRoom();
  }

  function gainRoom(): void {
    const next = queue.splice(0, room());
    if (next.length > 0) {
      const first = send(next.map(({ bytes }) => bytes));
      for (const [at, { waiter }] of next.entries()) waiters.set(first + at, waiter);
    }
    if (room() > 0) options.onRoom?.();
  }

  function room(): number {
    return hello === undefined || isOver ? 0 : hello.windowTransactions - unanswered;
  }

  function send(transactions: readonly Uint8Array[]): number {
    if (isOver || hello === undefined) throw new ClientError('network', 'the submission stream is not open');
    if (transactions.length > room()) {
      throw new ClientError('bad-argument', `${transactions.length} transactions are more than the room for ${room()}`);
    }
    const first = sent;
    sent += transactions.length;
    unanswered += transactions.length;
    for (const message of messagesOf(transactions, hello.frameBytesMax)) socket.send(message);
    return first;
  }

  function submit(transaction: SignedTransaction | Uint8Array) {
    const bytes = transaction instanceof Uint8Array ? transaction : transaction.bytes;
    return new Promise<SubmissionResult & { readonly number: number }>((resolve, reject) => {
      if (isOver) return reject(new ClientError('network', 'the submission stream is over'));
      const waiter = { resolve, reject };
      if (queue.length > 0 || room() === 0) queue.push({ bytes, waiter });
      else waiters.set(send([bytes]), waiter);
    });
  }

  function over(reason: string | undefined): void {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    socket.close(1000);
    const text = reason ?? 'the caller closed it';
    const error = new ClientError('network', `the submission stream of ${url} is over: ${text}`, { url });
    opening.reject(error);
    for (const { reject } of waiters.values()) reject(error);
    for (const { waiter } of queue) waiter.reject(error);
    waiters.clear();
    queue.length = 0;
    options.onClosed?.(reason === undefined ? undefined : error);
  }
}

/** As few messages as the largest one allows. */
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
