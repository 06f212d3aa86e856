import { Type } from 'typebox';
import { BatchResultSchema, TransactionViewSchema } from '../answers.ts';
import { ProofSchema, TransactionRequestSchema } from '../chain.ts';
import { RowProofSchema } from '../rows.ts';
import { EPOCH_MAX } from '../scalars.ts';
import {
  AnyId,
  BATCH_BYTES_MAX,
  BatchRequestSchema,
  CLOSED,
  FaucetRequestSchema,
  JSON_BODY_PROBLEMS,
  NONE,
  type Route,
  TRANSACTION_JSON_BYTES_MAX,
  WaitQuery,
} from './route.ts';

export const TRANSACTION_ROUTES = {
  submitTransaction: {
    method: 'POST',
    path: '/v1/transactions',
    tag: 'transactions',
    summary: 'Submit a transaction; the same bytes again give the same id',
    params: NONE,
    query: WaitQuery,
    body: { json: TransactionRequestSchema, bytes: true, bytesMax: TRANSACTION_JSON_BYTES_MAX },
    answers: { 200: TransactionViewSchema, 202: TransactionViewSchema },
    problems: [...JSON_BODY_PROBLEMS, 'malformed-transaction', 'conflict', 'invalid-transaction'],
  },
  submitBatch: {
    method: 'POST',
    path: '/v1/transactions/batch',
    tag: 'transactions',
    summary: 'Submit up to 1,000 transactions; one result each',
    description: 'As bytes, a twentieth of the cost of JSON: 01 | (length u32, little-endian | SSZ bytes)*.',
    params: NONE,
    query: NONE,
    body: { json: BatchRequestSchema, bytes: true, bytesMax: BATCH_BYTES_MAX },
    answers: { 200: BatchResultSchema },
    problems: [...JSON_BODY_PROBLEMS],
  },
  transaction: {
    method: 'GET',
    path: '/v1/transactions/{id}',
    tag: 'transactions',
    summary: 'A transaction: its status, and its receipt with proof once final; or a row of a distilled batch',
    description:
      'A row id is known once its batch ran; then `row` has the row and its outcome. `attested` and `ordered` are not reported of rows.',
    params: Type.Object({ id: AnyId }, CLOSED),
    query: WaitQuery,
    answers: { 200: TransactionViewSchema, 202: TransactionViewSchema },
    problems: ['transaction-unknown', 'pruned'],
  },
  transactionProof: {
    method: 'GET',
    path: '/v1/transactions/{id}/proof',
    tag: 'transactions',
    summary: 'The inclusion proof of a receipt or row, as JSON or (Accept: application/octet-stream) as SSZ',
    params: Type.Object({ id: AnyId }, CLOSED),
    query: Type.Object(
      {
        epochsFrom: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: EPOCH_MAX,
            description: 'JSON only: with the first 100 handovers from this epoch on, up to that of the proof.',
          }),
        ),
      },
      CLOSED,
    ),
    answers: { 200: Type.Union([ProofSchema, RowProofSchema]) },
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
    problems: [...JSON_BODY_PROBLEMS, 'faucet-off', 'invalid-transaction'],
  },
} as const satisfies Readonly<Record<string, Route>>;
