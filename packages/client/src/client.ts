/** Typed calls to one node, or to several of one chain, in Node and in browsers. */
import type {
  AccountView,
  AnswerOf,
  BatchResult,
  BlockPage,
  BlockView,
  CommitteeView,
  DistilledBatch,
  DistilledBatchPage,
  DistilledRowPage,
  DrainState,
  EpochRecordJson,
  Epochs,
  Fees,
  Fleet,
  Listed,
  LogLevelJson,
  LogLevelName,
  Peers,
  ProofJson,
  ProposalPage,
  ProposalView,
  RowProofJson,
  Status,
  TransactionPage,
  TransactionView,
  ValidatorPage,
  ValidatorView,
} from '@slipstream/schema';
import type { GenesisHash } from '@slipstream/types';
import type { ApplicationClient } from './application/application.ts';
import type { ProofOptions } from './ask-proof.ts';
import type { CallOptions, PageOptions, WaitCallOptions } from './call-options.ts';
import type { EventStream, EventStreamOptions } from './event-stream.ts';
import type { ProvenClient, ProvenOptions, UnprovenOptions } from './proven-client.ts';
import type { ProvenAccount, ProvenData } from './proven-values.ts';
import type { Fetch, Requester } from './request.ts';
import type { SessionClient } from './session-actions.ts';
import type { WebSocketConstructor } from './stream-socket.ts';
import type { SignedTransaction } from './transactions.ts';
import type { WaitOptions } from './wait-options.ts';

export interface ClientOptions {
  /**
   * Such as http://127.0.0.1:8080; in a page that the node served, `location.origin`. Several URLs: nodes of one chain, with `genesisHash`.
   * The next node takes over when one does not answer, is not ready or is of another chain, so a later read may be older than an earlier
   * one; answers carry their height. Operator actions are refused.
   */
  readonly url: string | readonly string[];
  /** Default: the platform's. */
  readonly fetch?: Fetch;
  readonly WebSocket?: WebSocketConstructor;
  /** For an answer. Default 10 s. */
  readonly timeoutMs?: number;
  /** Bearer token of admin calls. */
  readonly token?: string;
  /** 0x...: signing for another chain throws `wrong-chain`. */
  readonly genesisHash?: string;
  /** For reads with `proven: true`: the genesis file's JSON, or committees followed from it. */
  readonly chain?: unknown;
  /** Proofs of lower heights are refused: `proven.height()` of the client before. Default 0. */
  readonly provenHeightMin?: number;
}

export interface Client {
  /** Of the node for the next request. */
  readonly url: string;
  status(options?: CallOptions): Promise<Status>;
  genesis(options?: CallOptions): Promise<{ readonly [key: string]: unknown }>;
  /** From the status, once. Throws ClientError `wrong-chain`. */
  genesisHash(options?: CallOptions): Promise<GenesisHash>;
  /** Signed, or its bytes. Repeating is safe: the id is the same. */
  submit(transaction: SignedTransaction | Uint8Array, options?: WaitCallOptions): Promise<TransactionView>;
  /** Up to 1,000, one result each, in order. */
  submitBatch(transactions: readonly (SignedTransaction | Uint8Array)[], options?: CallOptions): Promise<BatchResult>;
  /** Submits until accepted, then waits for the end; final and failed come with receipt and proof. */
  submitAndWait(transaction: SignedTransaction, options?: WaitOptions): Promise<TransactionView>;
  transaction(id: string, options?: WaitCallOptions): Promise<TransactionView>;
  /** For verifyProof. */
  proof(id: string, options?: ProofOptions): Promise<ProofJson>;
  /** Of a row of a distilled batch, for verifyRowProof; `transaction` answers the row itself. */
  rowProof(rowId: string, options?: ProofOptions): Promise<RowProofJson>;
  /** Of consecutive epochs from `from` on, up to 100; followEpochs asks for all. */
  handovers(from: number, options?: CallOptions): Promise<AnswerOf<'handovers'>>;
  account(account: string, options?: UnprovenOptions): Promise<AccountView>;
  account(account: string, options: ProvenOptions): Promise<ProvenAccount>;
  /** Up to 100, in that order, all of one height. */
  accounts(accounts: readonly string[], options?: CallOptions): Promise<Listed<AnswerOf<'accounts'>>>;
  accountTransactions(account: string, options?: PageOptions): Promise<Listed<TransactionPage>>;
  accountData(account: string, name: string, options?: UnprovenOptions): Promise<AnswerOf<'accountData'>>;
  accountData(account: string, name: string, options: ProvenOptions): Promise<ProvenData>;
  /** Of the account directory, by index or account (its newest), with a proof for verifyDirectoryProof. */
  directory(entry: number | string, options?: CallOptions): Promise<AnswerOf<'directoryEntry'>>;
  /** By height, id or 'latest'. */
  block(block: string | number, options?: CallOptions): Promise<BlockView>;
  blocks(options?: PageOptions): Promise<Listed<BlockPage>>;
  blockTransactions(block: string | number, options?: PageOptions): Promise<Listed<TransactionPage>>;
  blockOutcomes(block: string | number, options?: CallOptions): Promise<AnswerOf<'blockOutcomes'>>;
  /** Distilled batches that ran. */
  blockBatches(block: string | number, options?: PageOptions): Promise<Listed<DistilledBatchPage>>;
  batch(id: string, options?: CallOptions): Promise<DistilledBatch>;
  batchRows(id: string, options?: PageOptions): Promise<Listed<DistilledRowPage>>;
  certificates(height: number, options?: CallOptions): Promise<AnswerOf<'certificates'>>;
  /** Default: of the current epoch. */
  committee(options?: CallOptions & { readonly epoch?: number }): Promise<CommitteeView>;
  /** Newest first. */
  epochs(options?: PageOptions): Promise<Listed<Epochs>>;
  /** The record of an epoch. */
  epoch(epoch: number | 'current', options?: CallOptions): Promise<EpochRecordJson>;
  /** Waiting: only those that a seal is awaited for. */
  validators(options?: PageOptions & { readonly waiting?: boolean }): Promise<Listed<ValidatorPage>>;
  /** By its id, or a BLS key that it has or had. */
  validator(reference: string, options?: CallOptions): Promise<ValidatorView>;
  /** Open ones, oldest first. */
  proposals(options?: PageOptions): Promise<Listed<ProposalPage>>;
  proposal(id: string, options?: CallOptions): Promise<ProposalView>;
  fees(options?: CallOptions): Promise<Fees>;
  peers(options?: CallOptions): Promise<Listed<Peers>>;
  /** Development chains only: returns the transaction that pays the account. */
  faucet(account: string, options?: WaitCallOptions & { readonly amount?: bigint }): Promise<TransactionView>;
  blockPeer(peer: string, reason?: string, options?: CallOptions): Promise<void>;
  unblockPeer(peer: string, options?: CallOptions): Promise<void>;
  /** Admin: least logged severity, until the node restarts. */
  setLogLevel(level: LogLevelName, options?: CallOptions): Promise<LogLevelJson>;
  /** Admin: no more transactions are accepted; with `stop` the process ends when none is pending. */
  drain(
    request?: { readonly stop?: boolean; readonly deadlineMs?: number },
    options?: CallOptions,
  ): Promise<DrainState>;
  undrain(options?: CallOptions): Promise<DrainState>;
  /** Nodes whose streams this node relays: pass `node` to `events`. */
  fleet(options?: CallOptions): Promise<Listed<Fleet>>;
  /**
   * An application of the chain, with the types of its definition: `client.app<typeof token>('token')`. Its manifest is checked against
   * the genesis hash, or after an upgrade against the proven state. It stays the one of this call: open it again after an upgrade.
   * Throws ClientError `application-unknown`, `malformed-answer`, `unproven`.
   */
  app<App>(name: string, options?: CallOptions): Promise<ApplicationClient<App>>;
  /** Full state, then events; reconnects and resumes until closed. */
  events(options: EventStreamOptions): EventStream;
  readonly session: SessionClient;
  /** Reads with `proven: true`, of any keys too. They need `chain`. */
  readonly proven: ProvenClient;
  /** Any route of the table. */
  readonly call: Requester;
}
