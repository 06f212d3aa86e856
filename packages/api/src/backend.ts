/**
 * The node as the API sees it. apps/node implements it; tests have one of their own.
 *
 * Calls never reject for what a client sent: every outcome that a client may cause is a member of a closed union. A call that
 * rejects is a fault of the node: it is logged and answered 503 `internal`.
 */
import type { PeerKey } from '@slipstream/ports';
import type {
  DrainState,
  LogLevelName,
  Peer,
  RefusalReason,
  StageTimes,
  Status,
  TransactionStatus,
  TransactionSummary,
  WaitStage,
} from '@slipstream/schema';
import type {
  AccountKey,
  Block,
  BlockId,
  Credential,
  Evidence,
  Finalization,
  Genesis,
  GrantId,
  Height,
  InclusionProof,
  Receipt,
  SessionRecord,
  StateCertificate,
  StateDigest,
  Transaction,
  TransactionId,
} from '@slipstream/types';
import type { EventHub } from './event-hub.ts';

export type SubmitOutcome =
  /** Taken in, now or earlier: the same bytes again are accepted again, with the status they have reached. */
  | {
      readonly type: 'accepted';
      readonly id: TransactionId;
      readonly status: TransactionStatus;
      readonly expiryMs?: number;
      /** Taken in earlier. */
      readonly isKnown?: boolean;
      /** Of its block and its receipt, when it is committed. */
      readonly height?: number;
      readonly index?: number;
    }
  /** Not the canonical serialization of a transaction. */
  | { readonly type: 'malformed'; readonly detail: string }
  | { readonly type: 'invalid'; readonly reason: RefusalReason; readonly detail: string }
  /** The id is known with another authority. */
  | { readonly type: 'conflict'; readonly detail: string }
  | { readonly type: 'overloaded'; readonly retryAfterMs: number }
  | { readonly type: 'not-ready'; readonly detail: string };

export type Lookup<T> =
  | { readonly type: 'found'; readonly value: T }
  | { readonly type: 'unknown' }
  | { readonly type: 'pruned'; readonly detail?: string };

export interface TransactionRecord {
  readonly id: TransactionId;
  readonly status: TransactionStatus;
  readonly expiryMs?: number;
  readonly height?: Height;
  /** Why it was put aside, when it was: an end only once it has expired. */
  readonly reason?: RefusalReason;
  readonly transaction?: Transaction;
  /** Once committed here. */
  readonly receipt?: Receipt;
}

/** A transaction that was submitted here has reached a status. Never back: pending, attested, ordered, an end. */
export interface TransactionMove {
  /** Hexadecimal, without 0x. */
  readonly id: string;
  readonly status: TransactionStatus;
  readonly height?: number;
  /** Of its receipt, once committed. */
  readonly index?: number;
}

export interface TransactionMoves {
  /** Calls `listener` with what moved at once. It must not throw. Returns the way to stop (idempotent). */
  subscribe(listener: (moves: readonly TransactionMove[]) => void): () => void;
}

export interface BlockRecord {
  readonly block: Block;
  /** ordered: final, not yet certified and committed here. */
  readonly status: 'ordered' | 'final';
  readonly transactionCount: number;
  readonly stateDigest?: StateDigest;
  readonly receiptsRoot?: Uint8Array;
  readonly times?: StageTimes;
}

export type BlockReference =
  | { readonly type: 'latest' }
  | { readonly type: 'height'; readonly height: Height }
  | { readonly type: 'id'; readonly id: BlockId };

export interface PageRequest {
  /** What an earlier page gave as `next`; undefined for the first page. Its form was checked against the route's. */
  readonly cursor: string | undefined;
  readonly limit: number;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** 1 to 128 of 0-9, A-Z, a-z, _ and -. */
  readonly next: string | undefined;
}

export interface AccountRecord {
  readonly balance: bigint;
  readonly exists: boolean;
  /** The committed height that the answer is of. */
  readonly height: Height;
}

/** A session as the newest committed block left it. */
export interface SessionState extends SessionRecord {
  readonly height: Height;
  /** Timestamp of the newest committed block. */
  readonly nowMs: number;
}

export interface FeeRecord {
  readonly height: Height;
  /** In the order of UNIT_DIMENSIONS. */
  readonly prices: readonly bigint[];
  readonly windowEndsAt: Height;
}

interface BlockOutcomesRecord {
  readonly height: Height;
  readonly blockId: BlockId;
  /** Ids, in the order of the block. */
  readonly success: readonly Uint8Array[];
  readonly failed: readonly Uint8Array[];
}

export interface HeightCertificatesRecord {
  readonly blockId: BlockId;
  readonly finalization: Finalization | undefined;
  readonly state: StateCertificate | undefined;
}

export type AdminOutcome =
  | { readonly type: 'done' }
  | { readonly type: 'unknown' }
  | { readonly type: 'refused'; readonly detail: string };

export interface DrainRequest {
  /** Ends the process when nothing that was accepted here is pending any more, or at the deadline. */
  readonly stop: boolean;
  readonly deadlineMs: number;
}

/** What an operator may do to the node itself. */
export interface Operation {
  logLevel(): Promise<LogLevelName>;
  setLogLevel(level: LogLevelName): Promise<void>;
  drainState(): Promise<DrainState>;
  /** Submissions are `not-ready` from now on. Asked again, the newest request stands. */
  drain(request: DrainRequest): Promise<DrainState>;
  undrain(): Promise<DrainState>;
}

export interface NodeBackend {
  readonly genesis: Genesis;
  /** Events in, streams out; the node publishes to it. */
  readonly events: EventHub;
  /** Newest committed height, for the headers of every answer. Never waits. */
  height(): number;
  status(): Promise<Status>;
  /** Blocked ones included. */
  peers(): Promise<readonly Peer[]>;

  /** Serialized transactions, at most TRANSACTION_BYTES_MAX each. `source` is whose budget pays for what must be verified in vain. */
  submit(bytes: Uint8Array, source?: string): Promise<SubmitOutcome>;
  /** One outcome each, in order. The bytes are not kept. */
  submitMany(transactions: readonly Uint8Array[], source?: string): Promise<readonly SubmitOutcome[]>;
  /** Of what was accepted here. */
  readonly moves: TransactionMoves;
  transaction(id: TransactionId): Promise<Lookup<TransactionRecord>>;
  /**
   * Settles when the furthest of the stages is reached (final: committed here, its receipt and proof can be read), or an end
   * (failed, expired), or the signal is aborted: then with what is known by then.
   */
  waitFor(id: TransactionId, stages: readonly WaitStage[], signal: AbortSignal): Promise<Lookup<TransactionRecord>>;
  /** `not-ready` when the transaction is known and has no certified receipt yet. */
  proof(id: TransactionId): Promise<Lookup<InclusionProof> | { readonly type: 'not-ready' }>;
  /** Pays an account from the development faucet; undefined where there is none. */
  readonly faucet: ((account: AccountKey, amount: bigint | undefined) => Promise<SubmitOutcome>) | undefined;

  account(key: AccountKey): Promise<AccountRecord>;
  /** Devices of an anchor. */
  identity(anchor: AccountKey): Promise<{ readonly devices: readonly AccountKey[]; readonly height: Height }>;
  session(id: GrantId): Promise<Lookup<SessionState>>;
  /** `refused`: this node cannot make one, whoever asks. */
  credential(
    id: GrantId,
  ): Promise<
    Lookup<Credential> | { readonly type: 'not-ready' } | { readonly type: 'refused'; readonly detail: string }
  >;
  accountData(key: AccountKey, name: string): Promise<Lookup<{ readonly value: Uint8Array; readonly height: Height }>>;
  /** Newest first. */
  accountTransactions(key: AccountKey, page: PageRequest): Promise<Page<TransactionSummary>>;

  block(reference: BlockReference): Promise<Lookup<BlockRecord>>;
  /** Newest first. */
  blocks(page: PageRequest): Promise<Page<BlockRecord>>;
  blockTransactions(reference: BlockReference, page: PageRequest): Promise<Lookup<Page<TransactionSummary>>>;
  /** What became of all transactions of a committed block. */
  blockOutcomes(reference: BlockReference): Promise<Lookup<BlockOutcomesRecord>>;
  certificates(height: Height): Promise<Lookup<HeightCertificatesRecord>>;
  fees(): Promise<FeeRecord>;
  evidence(page: PageRequest): Promise<Page<Evidence>>;

  blockPeer(peer: PeerKey, reason: string): Promise<AdminOutcome>;
  unblockPeer(peer: PeerKey): Promise<AdminOutcome>;
  readonly operation: Operation;
}
