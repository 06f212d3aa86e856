import { Type } from 'typebox';
import { BatchResultSchema, TRANSACTION_STATUSES, TransactionViewSchema } from '../answers.ts';
import { ProofSchema, TransactionSchema } from '../chain.ts';
import { SUBMISSION_CODES } from '../submission-wire.ts';
import {
  AnyId,
  BATCH_BYTES_MAX,
  BatchRequestSchema,
  CLOSED,
  FaucetRequestSchema,
  JSON_BODY_PROBLEMS,
  NONE,
  type Route,
  SubmissionQuery,
  TRANSACTION_JSON_BYTES_MAX,
  WaitQuery,
} from './route.ts';

const codeTable = Object.entries(SUBMISSION_CODES)
  .map(([name, code]) => `${code} ${name}`)
  .join(', ');

const SUBMISSION_DESCRIPTION = [
  'Binary messages, little-endian; the first byte is the kind.',
  'submit: 01 | (length u32 | SSZ bytes)*. Transactions are numbered from 0 over the whole stream.',
  'hello: 81 | protocol u8 | windowTransactions u32 | frameBytesMax u32 | followedMax u32 | genesis hash 32.',
  'results: 82 | first number u32 | retryAfterMs u32 | (code u8 | id 32)*, one row a transaction, in order.',
  `Codes: ${codeTable}.`,
  'notices: 83 | (number u32 | status u8 | height u64 | index u32)*.',
  `Statuses: ${TRANSACTION_STATUSES.map((status, at) => `${at} ${status}`).join(', ')}. heartbeat: 84.`,
  'At most windowTransactions may be without a result; the node reads no further while it is busy.',
  'A connection that is lost loses its notices, not its transactions: ask for them by id.',
].join(' ');

export const TRANSACTION_ROUTES = {
  submitTransaction: {
    method: 'POST',
    path: '/v1/transactions',
    tag: 'transactions',
    summary: 'Submit a transaction; the same bytes again give the same id',
    params: NONE,
    query: WaitQuery,
    body: { json: TransactionSchema, bytes: true, bytesMax: TRANSACTION_JSON_BYTES_MAX },
    answers: { 200: TransactionViewSchema, 202: TransactionViewSchema },
    problems: [...JSON_BODY_PROBLEMS, 'malformed-transaction', 'conflict', 'invalid-transaction', 'not-ready'],
  },
  submitBatch: {
    method: 'POST',
    path: '/v1/transactions/batch',
    tag: 'transactions',
    summary: 'Submit up to 1,000 transactions; one result each',
    description:
      'As bytes, a twentieth of the cost of JSON: a submit message of /v1/transactions/stream, 01 | (length u32, little-endian | SSZ bytes)*.',
    params: NONE,
    query: NONE,
    body: { json: BatchRequestSchema, bytes: true, bytesMax: BATCH_BYTES_MAX },
    answers: { 200: BatchResultSchema },
    problems: [...JSON_BODY_PROBLEMS, 'not-ready'],
  },
  submitStream: {
    method: 'GET',
    path: '/v1/transactions/stream',
    tag: 'streams',
    summary: 'Submit over a WebSocket: binary messages of many transactions, results and notices back',
    description: SUBMISSION_DESCRIPTION,
    params: NONE,
    query: SubmissionQuery,
    answers: { 101: undefined },
    problems: ['origin-not-allowed', 'too-many-streams', 'not-ready'],
  },
  transaction: {
    method: 'GET',
    path: '/v1/transactions/{id}',
    tag: 'transactions',
    summary: 'A transaction: its status, and its receipt with proof once final',
    params: Type.Object({ id: AnyId }, CLOSED),
    query: WaitQuery,
    answers: { 200: TransactionViewSchema, 202: TransactionViewSchema },
    problems: ['transaction-unknown', 'pruned'],
  },
  transactionProof: {
    method: 'GET',
    path: '/v1/transactions/{id}/proof',
    tag: 'transactions',
    summary: 'The inclusion proof of a receipt, as JSON or (Accept: application/octet-stream) as SSZ',
    params: Type.Object({ id: AnyId }, CLOSED),
    query: NONE,
    answers: { 200: ProofSchema },
    media: ['application/json', 'application/octet-stream'],
    problems: ['transaction-unknown', 'proof-not-ready', 'pruned'],
  },
  faucet: {
    method: 'POST',
    path: '/v1/faucet',
    tag: 'transactions',
    summary: 'Development chains: pays an account',
    description: 'Without an amount it pays its own; of one above what it gives at once, it pays that.',
    params: NONE,
    query: WaitQuery,
    body: { json: FaucetRequestSchema, bytes: false, bytesMax: 4 * 1024 },
    answers: { 200: TransactionViewSchema, 202: TransactionViewSchema },
    problems: [...JSON_BODY_PROBLEMS, 'faucet-off', 'invalid-transaction', 'not-ready'],
  },
} as const satisfies Readonly<Record<string, Route>>;
