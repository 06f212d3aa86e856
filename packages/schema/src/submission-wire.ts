/**
 * The submission stream (/v1/transactions/stream): binary messages over a WebSocket, many transactions in each.
 *
 *   node   --> hello: window, limits
 *   client --> submit: transactions, numbered from 0 over the whole stream (modulo 2^32)
 *   node   --> results: one row per transaction, in order: accepted with its id, or a refusal code
 *   node   --> notices: number and new status of transactions: attested, ordered, final, failed, expired
 *   node   --> heartbeat, when nothing else was sent for a while
 *
 * At most `windowTransactions` may lack a result. A busy node stops reading, so a client that ignores the window waits in its own socket.
 * Integers are little-endian.
 *
 *   submit     01 | (length u32 | bytes)*
 *   hello      81 | protocol u8 | windowTransactions u32 | frameBytesMax u32 | followedMax u32 | genesis hash 32
 *   results    82 | first u32 | retryAfterMs u32 | (code u8 | id 32)*
 *   notices    83 | (number u32 | status u8 | height u64 | index u32)*
 *   heartbeat  84
 */
import { fail, ok, type Result } from '@slipstream/primitives';
import { TRANSACTION_BYTES_MAX } from '@slipstream/types';
import { TRANSACTION_STATUSES, type TransactionStatus } from './answers.ts';
import type { RefusalReason } from './problem.ts';

export const SUBMISSION_PROTOCOL = 1;

const KINDS = { submit: 0x01, hello: 0x81, results: 0x82, notices: 0x83, heartbeat: 0x84 } as const;

const REASON_CODES = {
  'bad-signature': 32,
  'wrong-genesis': 33,
  expired: 34,
  'expiry-too-far': 35,
  duplicate: 36,
  'fee-not-covered': 37,
  'max-fee-too-low': 38,
  'insufficient-balance': 39,
  malformed: 16,
  'session-expired': 48,
  'session-out-of-scope': 49,
  'session-unknown-issuer': 50,
  'session-foreign-chain': 51,
  'session-broken-path': 52,
  'session-truncated-proof': 53,
  'session-wrong-committee': 54,
  'session-bad-certificate': 55,
  'session-replayed-grant': 56,
  'session-wrong-account': 57,
  'session-wrong-key': 58,
  'session-unknown': 59,
  'session-revoked': 60,
  'session-spend-limit': 61,
  'session-committee-expired': 62,
} as const satisfies Readonly<Record<RefusalReason, number>>;

/** Below 16: accepted and followed. From 16 on: refused; no notice follows. */
export const SUBMISSION_CODES = {
  accepted: 0,
  /** Earlier, with the same bytes. */
  known: 1,
  /** With another signature. */
  conflict: 17,
  /** Send it again after retryAfterMs. */
  overloaded: 18,
  'not-ready': 19,
  /** At the stream's limit of accepted transactions without an end. */
  'too-many-followed': 20,
  /** A logged fault of the node: send it again. */
  internal: 21,
  ...REASON_CODES,
} as const;
export type SubmissionCode = keyof typeof SUBMISSION_CODES;

const CODE_NAMES = new Map<number, SubmissionCode>(
  Object.entries(SUBMISSION_CODES).map(([name, code]) => [code, name as SubmissionCode]),
);

export interface SubmissionHello {
  readonly type: 'hello';
  readonly windowTransactions: number;
  /** Of a submit message. */
  readonly frameBytesMax: number;
  /** Accepted transactions without an end. */
  readonly followedMax: number;
  readonly genesisHash: Uint8Array;
}

export interface SubmissionResult {
  readonly code: SubmissionCode;
  /** 32 bytes; zeros: no transaction. */
  readonly id: Uint8Array;
}

export interface SubmissionResults {
  readonly type: 'results';
  readonly first: number;
  /** For retryable refusals; 0: none. */
  readonly retryAfterMs: number;
  readonly results: readonly SubmissionResult[];
}

export interface SubmissionNotice {
  readonly number: number;
  readonly status: TransactionStatus;
  /** 0 without a block. */
  readonly height: number;
  /** Of its receipt in the block. */
  readonly index: number;
}

interface SubmissionNotices {
  readonly type: 'notices';
  readonly notices: readonly SubmissionNotice[];
}

export type SubmissionMessage =
  | SubmissionHello
  | SubmissionResults
  | SubmissionNotices
  | { readonly type: 'heartbeat' };

const ID_BYTES = 32;
const LENGTH_BYTES = 4;
const HELLO_BYTES = 1 + 1 + 4 + 4 + 4 + ID_BYTES;
const RESULTS_HEAD_BYTES = 1 + 4 + 4;
const RESULT_BYTES = 1 + ID_BYTES;
const NOTICE_BYTES = 4 + 1 + 8 + 4;
const TWO_TO_32 = 2 ** 32;

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.length);

/** Within a submit message, which takes one more. */
export function submissionBytes(transaction: Uint8Array): number {
  return LENGTH_BYTES + transaction.length;
}

export function encodeSubmission(transactions: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(transactions.reduce((sum, each) => sum + submissionBytes(each), 1));
  const view = viewOf(bytes);
  bytes[0] = KINDS.submit;
  let at = 1;
  for (const transaction of transactions) {
    view.setUint32(at, transaction.length, true);
    bytes.set(transaction, at + LENGTH_BYTES);
    at += submissionBytes(transaction);
  }
  return bytes;
}

/** At most `transactionsMax`: four bytes make an empty one. They share the message's memory. Fails with a description. */
export function decodeSubmission(bytes: Uint8Array, transactionsMax: number): Result<readonly Uint8Array[], string> {
  if (bytes[0] !== KINDS.submit) return fail('only submit messages (kind 01) are understood');
  const view = viewOf(bytes);
  const transactions: Uint8Array[] = [];
  for (let at = 1; at < bytes.length; ) {
    if (transactions.length === transactionsMax) return fail(`holds more than ${transactionsMax} transactions`);
    if (at + LENGTH_BYTES > bytes.length) return fail(`a length at ${at} is cut short`);
    const length = view.getUint32(at, true);
    if (length > TRANSACTION_BYTES_MAX) return fail(`${length} bytes at ${at} are more than a transaction may have`);
    const end = at + LENGTH_BYTES + length;
    if (end > bytes.length) return fail(`a transaction at ${at} is cut short`);
    transactions.push(bytes.subarray(at + LENGTH_BYTES, end));
    at = end;
  }
  return ok(transactions);
}

export function encodeHello(hello: Omit<SubmissionHello, 'type'>): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(HELLO_BYTES);
  const view = viewOf(bytes);
  bytes[0] = KINDS.hello;
  bytes[1] = SUBMISSION_PROTOCOL;
  view.setUint32(2, hello.windowTransactions, true);
  view.setUint32(6, hello.frameBytesMax, true);
  view.setUint32(10, hello.followedMax, true);
  bytes.set(hello.genesisHash, 14);
  return bytes;
}

export function encodeResults({ first, retryAfterMs, results }: Omit<SubmissionResults, 'type'>) {
  const bytes = new Uint8Array(RESULTS_HEAD_BYTES + results.length * RESULT_BYTES);
  const view = viewOf(bytes);
  bytes[0] = KINDS.results;
  view.setUint32(1, first % TWO_TO_32, true);
  view.setUint32(5, retryAfterMs, true);
  let at = RESULTS_HEAD_BYTES;
  for (const { code, id } of results) {
    bytes[at] = SUBMISSION_CODES[code];
    bytes.set(id, at + 1);
    at += RESULT_BYTES;
  }
  return bytes;
}

export function encodeNotices(notices: readonly SubmissionNotice[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(1 + notices.length * NOTICE_BYTES);
  const view = viewOf(bytes);
  bytes[0] = KINDS.notices;
  let at = 1;
  for (const { number, status, height, index } of notices) {
    view.setUint32(at, number % TWO_TO_32, true);
    bytes[at + 4] = TRANSACTION_STATUSES.indexOf(status);
    view.setUint32(at + 5, height % TWO_TO_32, true);
    view.setUint32(at + 9, Math.floor(height / TWO_TO_32), true);
    view.setUint32(at + 13, index, true);
    at += NOTICE_BYTES;
  }
  return bytes;
}

export function encodeHeartbeat(): Uint8Array<ArrayBuffer> {
  return Uint8Array.of(KINDS.heartbeat);
}

/** Ids share the message's memory. */
export function decodeSubmissionMessage(bytes: Uint8Array): Result<SubmissionMessage, string> {
  switch (bytes[0]) {
    case KINDS.hello:
      return decodeHello(bytes);
    case KINDS.results:
      return decodeResults(bytes);
    case KINDS.notices:
      return decodeNotices(bytes);
    case KINDS.heartbeat:
      return ok({ type: 'heartbeat' });
    default:
      return fail(`a message of unknown kind ${bytes[0]}`);
  }
}

function decodeHello(bytes: Uint8Array): Result<SubmissionHello, string> {
  if (bytes.length < HELLO_BYTES || bytes[1] !== SUBMISSION_PROTOCOL) {
    return fail(`a hello of protocol ${bytes[1]}; this side speaks ${SUBMISSION_PROTOCOL}`);
  }
  const view = viewOf(bytes);
  return ok({
    type: 'hello',
    windowTransactions: view.getUint32(2, true),
    frameBytesMax: view.getUint32(6, true),
    followedMax: view.getUint32(10, true),
    genesisHash: bytes.subarray(14, 14 + ID_BYTES),
  });
}

function decodeResults(bytes: Uint8Array): Result<SubmissionResults, string> {
  if (bytes.length < RESULTS_HEAD_BYTES || (bytes.length - RESULTS_HEAD_BYTES) % RESULT_BYTES !== 0) {
    return fail(`results of ${bytes.length} bytes are no whole number of rows`);
  }
  const view = viewOf(bytes);
  const results: SubmissionResult[] = [];
  for (let at = RESULTS_HEAD_BYTES; at < bytes.length; at += RESULT_BYTES) {
    // A newer node may have other refusal codes.
    const code = CODE_NAMES.get(bytes[at] as number) ?? 'internal';
    results.push({ code, id: bytes.subarray(at + 1, at + RESULT_BYTES) });
  }
  return ok({ type: 'results', first: view.getUint32(1, true), retryAfterMs: view.getUint32(5, true), results });
}

function decodeNotices(bytes: Uint8Array): Result<SubmissionNotices, string> {
  if ((bytes.length - 1) % NOTICE_BYTES !== 0)
    return fail(`notices of ${bytes.length} bytes are no whole number of rows`);
  const view = viewOf(bytes);
  const notices: SubmissionNotice[] = [];
  for (let at = 1; at < bytes.length; at += NOTICE_BYTES) {
    const status = TRANSACTION_STATUSES[bytes[at + 4] as number];
    if (status === undefined) continue;
    const height = view.getUint32(at + 5, true) + view.getUint32(at + 9, true) * TWO_TO_32;
    notices.push({ number: view.getUint32(at, true), status, height, index: view.getUint32(at + 13, true) });
  }
  return ok({ type: 'notices', notices });
}
