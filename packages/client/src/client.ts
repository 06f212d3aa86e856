/** The client: the interface of a node, or of any of several of one chain, as typed calls, in Node and in browsers. */
import {
  type AccountView,
  type AnswerOf,
  type BatchResult,
  type BlockPage,
  type BlockView,
  type CommitteeView,
  type DrainState,
  encodeSubmission,
  type Fees,
  type Fleet,
  type LogLevelJson,
  type LogLevelName,
  type Peers,
  type ProofJson,
  type Status,
  type TransactionPage,
  type TransactionView,
  WAIT_MS_DEFAULT,
  type WaitStage,
} from '@slipstream/schema';
import type { GenesisHash } from '@slipstream/types';
import { createChainPin } from './chain-pin.ts';
import { ClientError } from './errors.ts';
import { type EventStream, type EventStreamOptions, openEventStream } from './event-stream.ts';
import { createNodes } from './nodes.ts';
import { createRequester, type Fetch, type Requester } from './request.ts';
import { createSessionClient, type SessionClient } from './session-client.ts';
import {
  type BinaryWebSocketConstructor,
  openSubmissionStream,
  type SubmissionStream,
  type SubmissionStreamOptions,
} from './submission-stream.ts';
import { submitAndWait, type WaitOptions } from './submit-and-wait.ts';
import type { SignedTransaction } from './transactions.ts';

export interface ClientOptions {
  /**
   * Of the node: http://127.0.0.1:8080. In a page the node served: `location.origin`. Several: nodes of one chain, whose `genesisHash` is needed
   * then. The first is asked, and the next one from when it does not answer, is not ready, or is of another chain. What is read may then be
   * older than what was read before: answers name their height. Acts of operators are for one node and refused.
   */
  readonly url: string | readonly string[];
  /** The platform's when missing. */
  readonly fetch?: Fetch;
  readonly WebSocket?: BinaryWebSocketConstructor;
  /** How long to wait for an answer. Default 10 s. */
  readonly timeoutMs?: number;
  /** For admin calls. */
  readonly token?: string;
  /** Of the chain that is meant, 0x...: signing for another one, whatever a node says, ends in `wrong-chain`. */
  readonly genesisHash?: string;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
}

export interface PageOptions extends CallOptions {
  readonly cursor?: string;
  readonly limit?: number;
}

export interface WaitCallOptions extends CallOptions {
  readonly wait?: WaitStage;
  readonly timeoutMs?: number;
}

export interface Client {
  /** Of the node that is asked next. */
  readonly url: string;
  status(options?: CallOptions): Promise<Status>;
  genesis(options?: CallOptions): Promise<{ readonly [key: string]: unknown }>;
  /** From the status; asked once. Throws ClientError `wrong-chain` when it is not the expected one. */
  genesisHash(options?: CallOptions): Promise<GenesisHash>;
  /** Sends a signed transaction, or its bytes. Sending it again is safe: the id is the same. */
  submit(transaction: SignedTransaction | Uint8Array, options?: WaitCallOptions): Promise<TransactionView>;
  /** Up to 1,000 at once, one result each, in order. */
  submitBatch(transactions: readonly (SignedTransaction | Uint8Array)[], options?: CallOptions): Promise<BatchResult>;
  /** Sends it until a node has it, then waits for its end: final or failed (with receipt and proof), or expired. */
  submitAndWait(transaction: SignedTransaction, options?: WaitOptions): Promise<TransactionView>;
  transaction(id: string, options?: WaitCallOptions): Promise<TransactionView>;
  proof(id: string, options?: CallOptions): Promise<ProofJson>;
  account(account: string, options?: CallOptions): Promise<AccountView>;
  accountTransactions(account: string, options?: PageOptions): Promise<TransactionPage>;
  accountData(account: string, name: string, options?: CallOptions): Promise<AnswerOf<'accountData'>>;
  /** By height, id or 'latest'. */
  block(block: string | number, options?: CallOptions): Promise<BlockView>;
  blocks(options?: PageOptions): Promise<BlockPage>;
  blockTransactions(block: string | number, options?: PageOptions): Promise<TransactionPage>;
  /** What became of all transactions of a block. */
  blockOutcomes(block: string | number, options?: CallOptions): Promise<AnswerOf<'blockOutcomes'>>;
  certificates(height: number, options?: CallOptions): Promise<AnswerOf<'certificates'>>;
  committee(options?: CallOptions): Promise<CommitteeView>;
  fees(options?: CallOptions): Promise<Fees>;
  peers(options?: CallOptions): Promise<Peers>;
  /** Development chains: pays the account and answers with the transaction that does. */
  faucet(account: string, options?: WaitCallOptions & { readonly amount?: bigint }): Promise<TransactionView>;
  blockPeer(peer: string, reason?: string, options?: CallOptions): Promise<void>;
  unblockPeer(peer: string, options?: CallOptions): Promise<void>;
  /** Admin: the least severity that is logged, until the node restarts. */
  setLogLevel(level: LogLevelName, options?: CallOptions): Promise<LogLevelJson>;
  /** Admin: no more transactions are taken; with `stop` the process ends when nothing is pending. */
  drain(
    request?: { readonly stop?: boolean; readonly deadlineMs?: number },
    options?: CallOptions,
  ): Promise<DrainState>;
  undrain(options?: CallOptions): Promise<DrainState>;
  /** The other nodes that this one watches. Their streams: `events` with `node`. */
  fleet(options?: CallOptions): Promise<Fleet>;
  /** State first, then changes; reconnects and resumes until closed. */
  events(options: EventStreamOptions): EventStream;
  /** Many transactions over one connection, with results and notices of what becomes of them. */
  stream(options?: SubmissionStreamOptions): SubmissionStream;
  /** Certified sessions: granting them here, or acting with them here. */
  readonly session: SessionClient;
  /** Any route of the table, typed by it. */
  readonly call: Requester;
}

const TIMEOUT_MS_DEFAULT = 10_000;
/** On top of the time that the node was asked to wait. */
const ANSWER_MARGIN_MS = 5_000;

/** A token travels in a header. What it is not is said without it: errors end in logs. */
const TOKEN = /^[!-~]{1,256}$/;
const NO_TOKEN = 'the token must be 1 to 256 visible ASCII characters, without spaces or line breaks';

/** Throws ClientError `bad-argument` for a token or a genesis hash that cannot be one. */
export function createClient(options: ClientOptions): Client {
  const { timeoutMs = TIMEOUT_MS_DEFAULT, token, genesisHash } = options;
  const urls = typeof options.url === 'string' ? [options.url] : options.url;
  if (token !== undefined && !TOKEN.test(token)) throw new ClientError('bad-argument', NO_TOKEN);
  const fetchIt: Fetch = options.fetch ?? ((target, init) => fetch(target, init));
  const requesterOf = (url: string) => createRequester({ url, timeoutMs, token, fetch: fetchIt });
  const nodes = createNodes({ urls, requesterOf, genesisHash });
  const { call } = nodes;
  let knownSessions: SessionClient | undefined;
  const pin = createChainPin(nodes.url(), genesisHash);
  let knownHash: GenesisHash | undefined;

  const page = ({ cursor, limit, signal }: PageOptions = {}) => ({ query: { cursor, limit }, signal });
  const waiting = ({ wait, timeoutMs: waitMs, signal }: WaitCallOptions = {}) => ({
    query: { wait, timeoutMs: wait === undefined ? undefined : waitMs },
    signal,
    ...(wait !== undefined && { timeoutMs: (waitMs ?? WAIT_MS_DEFAULT) + ANSWER_MARGIN_MS }),
  });

  const client: Client = {
    get session() {
      knownSessions ??= createSessionClient(client);
      return knownSessions;
    },
    get url() {
      return nodes.url();
    },
    call,
    status: (o) => call('status', { ...o }),
    genesis: (o) => call('genesis', { ...o }),
    genesisHash: async (o) => {
      knownHash ??= pin.check((await client.status(o)).genesisHash);
      return knownHash;
    },
    submit: (transaction, o) =>
      call('submitTransaction', {
        ...waiting(o),
        body: bytesOf(transaction),
      }),
    submitBatch: (transactions, o) => call('submitBatch', { body: encodeSubmission(transactions.map(bytesOf)), ...o }),
    submitAndWait: (transaction, o) => submitAndWait(client, transaction, o),
    transaction: (id, o) => call('transaction', { params: { id }, ...waiting(o) }),
    proof: (id, o) => call('transactionProof', { params: { id }, ...o }),
    account: (account, o) => call('account', { params: { account }, ...o }),
    accountTransactions: (account, o) => call('accountTransactions', { params: { account }, ...page(o) }),
    accountData: (account, name, o) => call('accountData', { params: { account, name }, ...o }),
    block: (block, o) => call('block', { params: { block: String(block) }, ...o }),
    blocks: (o) => call('blocks', page(o)),
    blockTransactions: (block, o) => call('blockTransactions', { params: { block: String(block) }, ...page(o) }),
    blockOutcomes: (block, o) => call('blockOutcomes', { params: { block: String(block) }, ...o }),
    certificates: (height, o) => call('certificates', { params: { height: String(height) }, ...o }),
    committee: (o) => call('committee', { ...o }),
    fees: (o) => call('fees', { ...o }),
    peers: (o) => call('peers', { ...o }),
    faucet: (account, { amount, ...o } = {}) =>
      call('faucet', { ...waiting(o), body: { account, ...(amount !== undefined && { amount: String(amount) }) } }),
    blockPeer: async (peer, reason, o) => {
      await call('blockPeer', { params: { peer }, body: reason === undefined ? {} : { reason }, ...o });
    },
    unblockPeer: async (peer, o) => {
      await call('unblockPeer', { params: { peer }, body: {}, ...o });
    },
    setLogLevel: (level, o) => call('setLogLevel', { body: { level }, ...o }),
    drain: (request = {}, o) => call('drain', { body: request, ...o }),
    undrain: (o) => call('undrain', { body: {}, ...o }),
    fleet: (o) => call('fleet', { ...o }),
    events: (o) => openEventStream({ urls, genesisHash }, options.WebSocket ?? platformWebSocket(), o),
    stream(o) {
      const url = nodes.url();
      const opened = openSubmissionStream(url, options.WebSocket ?? platformWebSocket(), o);
      opened.opened.catch(() => nodes.passOver(url));
      return opened;
    },
  };
  return client;
}

function bytesOf(transaction: SignedTransaction | Uint8Array): Uint8Array {
  return transaction instanceof Uint8Array ? transaction : transaction.bytes;
}

function platformWebSocket(): BinaryWebSocketConstructor {
  if (typeof WebSocket === 'undefined')
    throw new ClientError('bad-argument', 'this platform has no WebSocket: pass one');
  return WebSocket;
}
