/** The client: the interface of a node, or of any of several of one chain, as typed calls, in Node and in browsers. */
import type {
  AccountView,
  AnswerOf,
  BatchResult,
  BlockPage,
  BlockView,
  CommitteeView,
  DrainState,
  Fees,
  Fleet,
  LogLevelJson,
  LogLevelName,
  Peers,
  ProofJson,
  Status,
  TransactionPage,
  TransactionView,
} from '@slipstream/schema';
import type { GenesisHash } from '@slipstream/types';
import type { CallOptions, PageOptions, WaitCallOptions } from './call-options.ts';
import type { EventStream, EventStreamOptions } from './event-stream.ts';
import type { Fetch, Requester } from './request.ts';
import type { SessionClient } from './session-actions.ts';
import type { BinaryWebSocketConstructor, SubmissionStream, SubmissionStreamOptions } from './submission-stream.ts';
import type { SignedTransaction } from './transactions.ts';
import type { WaitOptions } from './wait-options.ts';

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
