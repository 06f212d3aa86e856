/**
 * The route table: server, OpenAPI and client types derive from it.
 *
 * Paths are relative to the server; `{name}` stands for a parameter. Every route may also answer with the problems of
 * COMMON_PROBLEMS.
 */
import { CHUNK_BYTES_MAX, INCLUSION_PROOF_BYTES_MAX, TRANSACTION_BYTES_MAX } from '@slipstream/types';
import { type TObject, type TSchema, Type } from 'typebox';
import {
  AccountDataSchema,
  AccountViewSchema,
  AdminResultSchema,
  BatchResultSchema,
  BlockPageSchema,
  BlockViewSchema,
  CommitteeSchema,
  EvidencePageSchema,
  FeesSchema,
  HealthSchema,
  HeightCertificatesSchema,
  PeersSchema,
  ReadySchema,
  StatusSchema,
  TransactionPageSchema,
  TransactionViewSchema,
} from './answers.ts';
import { ProofSchema, TransactionSchema } from './chain.ts';
import type { ProblemCode } from './problem.ts';
import { Account, Amount, Cursor, Id, PeerId } from './scalars.ts';
import { RESUME_PATTERN } from './stream.ts';

/** Most transactions of one batch, and most bytes: what fits a chunk. */
export const BATCH_TRANSACTIONS_MAX = 1_000;
export const BATCH_BYTES_MAX = 2 * CHUNK_BYTES_MAX + 64 * 1024;
/** As JSON a transaction takes a little over twice its bytes. */
export const TRANSACTION_JSON_BYTES_MAX = 3 * TRANSACTION_BYTES_MAX;
export const PAGE_ITEMS_MAX = 100;
export const PAGE_ITEMS_DEFAULT = 20;
/** Longest wait that one request may ask for; a client asks again. */
export const WAIT_MS_MAX = 60_000;
export const WAIT_MS_DEFAULT = 10_000;
export const PROOF_BYTES_MAX = INCLUSION_PROOF_BYTES_MAX;

const closed = { additionalProperties: false } as const;
const none = Type.Object({}, closed);

const waitQuery = {
  wait: Type.Optional(
    Type.String({
      description:
        'Stages to wait for, separated by commas: attested, ordered, final. Answers when the last one is reached.',
      pattern: '^(attested|ordered|final)(,(attested|ordered|final)){0,2}$',
      examples: ['final'],
    }),
  ),
  timeoutMs: Type.Optional(
    Type.Integer({
      description: 'How long to wait at most.',
      minimum: 0,
      maximum: WAIT_MS_MAX,
      default: WAIT_MS_DEFAULT,
    }),
  ),
};
const WaitQuery = Type.Object(waitQuery, closed);

const PageQuery = Type.Object(
  {
    cursor: Type.Optional(Cursor),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_ITEMS_MAX, default: PAGE_ITEMS_DEFAULT })),
  },
  closed,
);

const StreamQuery = Type.Object(
  {
    topics: Type.Optional(
      Type.String({ description: 'Separated by commas; all when missing.', pattern: '^[a-z,]{1,200}$' }),
    ),
    resume: Type.Optional(
      Type.String({ description: '"run:sequence" of the last message taken in.', pattern: RESUME_PATTERN }),
    ),
  },
  closed,
);

const BlockReference = Type.String({
  description: 'A height, a block id, or `latest`.',
  pattern: '^(latest|0|[1-9][0-9]{0,15}|0x[0-9a-fA-F]{64})$',
  examples: ['latest'],
});

const AnyId = Type.String({ ...Id, title: 'IdParameter', pattern: '^0x[0-9a-fA-F]{64}$' });
const AnyAccount = Type.String({ ...Account, title: 'AccountParameter', pattern: '^0x01[0-9a-fA-F]{64}$' });
const AnyPeer = Type.String({ ...PeerId, title: 'PeerParameter', pattern: '^0x[0-9a-fA-F]{64}$' });

export const FaucetRequestSchema = Type.Object(
  { account: AnyAccount, amount: Type.Optional(Amount) },
  { ...closed, title: 'FaucetRequest' },
);

export const BlockPeerRequestSchema = Type.Object(
  { reason: Type.Optional(Type.String({ maxLength: 200, description: 'For the record.' })) },
  { ...closed, title: 'BlockPeerRequest' },
);

export const BatchRequestSchema = Type.Object(
  {
    transactions: Type.Array(
      Type.String({
        description: 'A serialized transaction.',
        pattern: '^0x([0-9a-fA-F]{2})*$',
        maxLength: 2 + 2 * TRANSACTION_BYTES_MAX,
      }),
      { minItems: 1, maxItems: BATCH_TRANSACTIONS_MAX },
    ),
  },
  { ...closed, title: 'BatchRequest' },
);

export type Method = 'GET' | 'POST';
/** What a body or an answer may be beside JSON: bytes (SSZ), text, a page, a stream. */
export type MediaType =
  | 'application/json'
  | 'application/octet-stream'
  | 'text/plain'
  | 'text/html'
  | 'text/event-stream';

export interface Route {
  readonly method: Method;
  readonly path: string;
  readonly tag: 'transactions' | 'accounts' | 'blocks' | 'chain' | 'node' | 'streams' | 'admin';
  readonly summary: string;
  readonly params: TObject;
  readonly query: TObject;
  /** `json` is the schema of the JSON form; `bytes`, whether SSZ is taken too. */
  readonly body?: {
    readonly json: TSchema;
    readonly bytes: boolean;
    readonly bytesMax: number;
    readonly optional?: boolean;
  };
  /** By status; undefined where the answer is not JSON. */
  readonly answers: Readonly<Record<number, TSchema | undefined>>;
  readonly media?: readonly MediaType[];
  readonly problems: readonly ProblemCode[];
}

/** Any route may answer with these. */
export const COMMON_PROBLEMS = [
  'malformed-request',
  'host-not-allowed',
  'bad-parameter',
  'method-not-allowed',
  'rate-limited',
  'overloaded',
  'internal',
] as const satisfies readonly ProblemCode[];

const jsonBody = ['malformed-json', 'malformed-body', 'too-large', 'unsupported-media-type'] as const;

export const ROUTES = {
  submitTransaction: {
    method: 'POST',
    path: '/v1/transactions',
    tag: 'transactions',
    summary: 'Submit a transaction; the same bytes again give the same id',
    params: none,
    query: WaitQuery,
    body: { json: TransactionSchema, bytes: true, bytesMax: TRANSACTION_JSON_BYTES_MAX },
    answers: { 200: TransactionViewSchema, 202: TransactionViewSchema },
    problems: [...jsonBody, 'malformed-transaction', 'conflict', 'invalid-transaction', 'not-ready'],
  },
  submitBatch: {
    method: 'POST',
    path: '/v1/transactions/batch',
    tag: 'transactions',
    summary: 'Submit up to 1,000 transactions; one result each',
    params: none,
    query: none,
    body: { json: BatchRequestSchema, bytes: false, bytesMax: BATCH_BYTES_MAX },
    answers: { 200: BatchResultSchema },
    problems: [...jsonBody, 'not-ready'],
  },
  transaction: {
    method: 'GET',
    path: '/v1/transactions/{id}',
    tag: 'transactions',
    summary: 'A transaction: its status, and its receipt with proof once final',
    params: Type.Object({ id: AnyId }, closed),
    query: WaitQuery,
    answers: { 200: TransactionViewSchema, 202: TransactionViewSchema },
    problems: ['transaction-unknown', 'pruned'],
  },
  transactionProof: {
    method: 'GET',
    path: '/v1/transactions/{id}/proof',
    tag: 'transactions',
    summary: 'The inclusion proof of a receipt, as JSON or (Accept: application/octet-stream) as SSZ',
    params: Type.Object({ id: AnyId }, closed),
    query: none,
    answers: { 200: ProofSchema },
    media: ['application/json', 'application/octet-stream'],
    problems: ['transaction-unknown', 'proof-not-ready', 'pruned'],
  },
  account: {
    method: 'GET',
    path: '/v1/accounts/{account}',
    tag: 'accounts',
    summary: 'Balance of an account; one that was never paid has none',
    params: Type.Object({ account: AnyAccount }, closed),
    query: none,
    answers: { 200: AccountViewSchema },
    problems: ['not-ready'],
  },
  accountTransactions: {
    method: 'GET',
    path: '/v1/accounts/{account}/transactions',
    tag: 'accounts',
    summary: 'Transactions that an account sent or was paid by, newest first',
    params: Type.Object({ account: AnyAccount }, closed),
    query: PageQuery,
    answers: { 200: TransactionPageSchema },
    problems: ['not-ready'],
  },
  accountData: {
    method: 'GET',
    path: '/v1/accounts/{account}/data/{name}',
    tag: 'accounts',
    summary: 'A value that the account wrote with setData',
    params: Type.Object(
      { account: AnyAccount, name: Type.String({ minLength: 1, maxLength: 28, examples: ['colour'] }) },
      closed,
    ),
    query: none,
    answers: { 200: AccountDataSchema },
    problems: ['data-unknown', 'not-ready'],
  },
  blocks: {
    method: 'GET',
    path: '/v1/blocks',
    tag: 'blocks',
    summary: 'Final blocks, newest first',
    params: none,
    query: PageQuery,
    answers: { 200: BlockPageSchema },
    problems: [],
  },
  block: {
    method: 'GET',
    path: '/v1/blocks/{block}',
    tag: 'blocks',
    summary: 'A block by height or id, or the latest',
    params: Type.Object({ block: BlockReference }, closed),
    query: none,
    answers: { 200: BlockViewSchema },
    problems: ['block-unknown', 'pruned'],
  },
  blockTransactions: {
    method: 'GET',
    path: '/v1/blocks/{block}/transactions',
    tag: 'blocks',
    summary: 'Transactions of a block, in order',
    params: Type.Object({ block: BlockReference }, closed),
    query: PageQuery,
    answers: { 200: TransactionPageSchema },
    problems: ['block-unknown', 'pruned'],
  },
  certificates: {
    method: 'GET',
    path: '/v1/certificates/{height}',
    tag: 'blocks',
    summary: 'The finalization and the state certificate at a height',
    params: Type.Object({ height: Type.String({ pattern: '^(0|[1-9][0-9]{0,15})$', examples: ['42'] }) }, closed),
    query: none,
    answers: { 200: HeightCertificatesSchema },
    problems: ['certificate-unknown', 'pruned'],
  },
  fees: {
    method: 'GET',
    path: '/v1/fees',
    tag: 'chain',
    summary: 'Prices of a unit in force',
    params: none,
    query: none,
    answers: { 200: FeesSchema },
    problems: ['not-ready'],
  },
  committee: {
    method: 'GET',
    path: '/v1/committee',
    tag: 'chain',
    summary: 'The validators and their weights',
    params: none,
    query: none,
    answers: { 200: CommitteeSchema },
    problems: [],
  },
  genesis: {
    method: 'GET',
    path: '/v1/genesis',
    tag: 'chain',
    summary: 'The genesis file: all that a proof is verified with',
    params: none,
    query: none,
    answers: { 200: Type.Object({ chain: Type.String() }, { title: 'Genesis', additionalProperties: true }) },
    problems: [],
  },
  evidence: {
    method: 'GET',
    path: '/v1/evidence',
    tag: 'chain',
    summary: 'Evidence of equivocation that this node holds',
    params: none,
    query: PageQuery,
    answers: { 200: EvidencePageSchema },
    problems: [],
  },
  status: {
    method: 'GET',
    path: '/v1/status',
    tag: 'node',
    summary: 'What this node is and how far it is',
    params: none,
    query: none,
    answers: { 200: StatusSchema },
    problems: [],
  },
  peers: {
    method: 'GET',
    path: '/v1/peers',
    tag: 'node',
    summary: 'Peers, blocked ones included',
    params: none,
    query: none,
    answers: { 200: PeersSchema },
    problems: [],
  },
  faucet: {
    method: 'POST',
    path: '/v1/faucet',
    tag: 'transactions',
    summary: 'Development chains: pays an account',
    params: none,
    query: WaitQuery,
    body: { json: FaucetRequestSchema, bytes: false, bytesMax: 4 * 1024 },
    answers: { 200: TransactionViewSchema, 202: TransactionViewSchema },
    problems: [...jsonBody, 'faucet-off', 'invalid-transaction', 'not-ready'],
  },
  healthz: {
    method: 'GET',
    path: '/healthz',
    tag: 'node',
    summary: 'The process answers',
    params: none,
    query: none,
    answers: { 200: HealthSchema },
    problems: [],
  },
  readyz: {
    method: 'GET',
    path: '/readyz',
    tag: 'node',
    summary: 'The node serves and follows the chain',
    params: none,
    query: none,
    answers: { 200: ReadySchema },
    problems: ['not-ready'],
  },
  metrics: {
    method: 'GET',
    path: '/metrics',
    tag: 'node',
    summary: 'Metrics for Prometheus',
    params: none,
    query: none,
    answers: { 200: undefined },
    media: ['text/plain'],
    problems: [],
  },
  stream: {
    method: 'GET',
    path: '/v1/stream',
    tag: 'streams',
    summary: 'Events over a WebSocket: state first, then changes',
    params: none,
    query: StreamQuery,
    answers: { 101: undefined },
    problems: ['origin-not-allowed', 'too-many-streams'],
  },
  events: {
    method: 'GET',
    path: '/v1/events',
    tag: 'streams',
    summary: 'The same as server-sent events; Last-Event-ID resumes',
    params: none,
    query: StreamQuery,
    answers: { 200: undefined },
    media: ['text/event-stream'],
    problems: ['too-many-streams'],
  },
  blockPeer: {
    method: 'POST',
    path: '/v1/admin/peers/{peer}/block',
    tag: 'admin',
    summary: 'Refuse a peer until it is unblocked or the node restarts',
    params: Type.Object({ peer: AnyPeer }, closed),
    query: none,
    body: { json: BlockPeerRequestSchema, bytes: false, bytesMax: 4 * 1024, optional: true },
    answers: { 200: AdminResultSchema },
    problems: [...jsonBody, 'unauthorized', 'admin-remote', 'peer-unknown', 'conflict'],
  },
  unblockPeer: {
    method: 'POST',
    path: '/v1/admin/peers/{peer}/unblock',
    tag: 'admin',
    summary: 'Lift a block',
    params: Type.Object({ peer: AnyPeer }, closed),
    query: none,
    body: { json: Type.Object({}, closed), bytes: false, bytesMax: 1024, optional: true },
    answers: { 200: AdminResultSchema },
    problems: [...jsonBody, 'unauthorized', 'admin-remote', 'peer-unknown'],
  },
  openapi: {
    method: 'GET',
    path: '/openapi.json',
    tag: 'node',
    summary: 'This interface as OpenAPI 3.1',
    params: none,
    query: none,
    answers: { 200: Type.Object({ openapi: Type.String() }, { additionalProperties: true }) },
    problems: [],
  },
  docs: {
    method: 'GET',
    path: '/docs',
    tag: 'node',
    summary: 'This interface as a page',
    params: none,
    query: none,
    answers: { 200: undefined },
    media: ['text/html'],
    problems: [],
  },
} as const satisfies Readonly<Record<string, Route>>;

export type RouteName = keyof typeof ROUTES;
export const ROUTE_NAMES = Object.keys(ROUTES) as RouteName[];

/** The table with its entries seen as Route: for code that treats all alike. */
export const ROUTE_TABLE: Readonly<Record<RouteName, Route>> = ROUTES;

/** Fills the parameters into a path, escaped. */
export function routePath(name: RouteName, params: Readonly<Record<string, string>> = {}): string {
  return ROUTES[name].path.replace(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(params[key] ?? ''));
}
