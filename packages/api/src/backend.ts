/**
 * The node as the API sees it; apps/node implements it.
 *
 * Every outcome that a client can cause is in a closed union. A rejection is a fault of the node: 503 `internal`.
 */
import type { ApplicationManifest, TableManifest } from '@slipstream/app/program';
import type { PeerKey } from '@slipstream/ports';
import type {
  ArtifactView,
  DrainState,
  EpochRecordJson,
  Epochs,
  LogLevelName,
  Peer,
  ProposalPage,
  ProposalView,
  QuarantineView,
  RefusalReason,
  StageTimes,
  Status,
  TransactionStatus,
  TransactionSummary,
  ValidatorPage,
  ValidatorView,
  WaitStage,
} from '@slipstream/schema';
import type { StateProof } from '@slipstream/state-tree/proofs';
import type {
  AccountKey,
  ApplicationEvent,
  Block,
  BlockId,
  CommitteeCertificate,
  Credential,
  DirectoryProof,
  Evidence,
  FailureCode,
  FeeParameters,
  Finalization,
  Genesis,
  GrantId,
  Handover,
  Height,
  InclusionProof,
  ProposalId,
  Receipt,
  SessionRecord,
  StateCertificate,
  StateDigest,
  Transaction,
  TransactionId,
} from '@slipstream/types';
import type { AcceptOutcome } from './accept-outcome.ts';
import type { BatchSummary, RanRow, RowProofRecord, RowRecord } from './batch-records.ts';
import type { EventHub } from './event-hub.ts';

export type SubmitOutcome =
  /** The same bytes are accepted again. */
  | {
      readonly type: 'accepted';
      readonly id: TransactionId;
      readonly status: TransactionStatus;
      readonly expiryMs?: number;
    }
  /** Not a canonical serialization. */
  | { readonly type: 'malformed'; readonly detail: string }
  | { readonly type: 'invalid'; readonly reason: RefusalReason; readonly detail: string }
  /** The id is known with another authorization. */
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
  /** Why it was set aside; it can be included until it expires. */
  readonly reason?: RefusalReason;
  readonly transaction?: Transaction;
  readonly receipt?: Receipt;
  /** Of a row id. */
  readonly row?: RowRecord;
}

export interface BlockRecord {
  readonly block: Block;
  /** ordered: final, not yet certified and committed here. */
  readonly status: 'ordered' | 'final';
  readonly transactionCount: number;
  /** Undefined: the chain has no account directory. */
  readonly batchCount?: number | undefined;
  readonly stateDigest?: StateDigest;
  readonly receiptsRoot?: Uint8Array;
  readonly times?: StageTimes;
}

export type BlockReference =
  | { readonly type: 'latest' }
  | { readonly type: 'height'; readonly height: Height }
  | { readonly type: 'id'; readonly id: BlockId };

export interface PageRequest {
  readonly cursor: string | undefined;
  readonly limit: number;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** 1 to 128 characters of 0-9, A-Z, a-z, _ and -; undefined on the last page. */
  readonly next: string | undefined;
}

export interface AccountRecord {
  readonly balance: bigint;
  readonly exists: boolean;
  /** Newest index, and its highest sequence; undefined: not registered. */
  readonly registration: { readonly index: number; readonly last: number } | undefined;
  /** Committed height of the values. */
  readonly height: Height;
}

/** After the newest committed block. */
export interface SessionState extends SessionRecord {
  readonly height: Height;
  /** Of the newest committed block. */
  readonly nowMs: number;
}

export interface FeeRecord {
  readonly height: Height;
  /** In the order of UNIT_DIMENSIONS. */
  readonly prices: readonly bigint[];
  /** Of the epoch. */
  readonly parameters: FeeParameters;
  readonly windowEndsAt: Height;
}

interface BlockOutcomesRecord {
  readonly height: Height;
  readonly blockId: BlockId;
  /** Ids, in block order. */
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
  /** End the process when no transaction accepted here is pending, or at the deadline. */
  readonly stop: boolean;
  readonly deadlineMs: number;
}

export interface Operation {
  logLevel(): Promise<LogLevelName>;
  setLogLevel(level: LogLevelName): Promise<void>;
  drainState(): Promise<DrainState>;
  /** From then on submissions get `not-ready`. Replaces an older request. */
  drain(request: DrainRequest): Promise<DrainState>;
  undrain(): Promise<DrainState>;
}

/** With what the proof shows, which is of one committed block. */
export type Proven<T> =
  | { readonly type: 'proven'; readonly value: T; readonly proof: StateProof }
  /** No certificate covers that block yet. */
  | { readonly type: 'not-ready' }
  /** The values have more than PROOF_VALUE_BYTES_MAX. */
  | { readonly type: 'too-large' }
  /** The node executes no more blocks. */
  | { readonly type: 'stopped' }
  /** Another key shares the prefix of this one (R9). */
  | { readonly type: 'shared-prefix'; readonly key: Uint8Array };

/** Reads with proofs. Undefined: the proof shows that there is nothing. */
export interface ProvenReads {
  /** 1 to 64 keys, of 1 to 63 bytes, each once. */
  keys(keys: readonly Uint8Array[]): Promise<Proven<undefined>>;
  account(key: AccountKey): Promise<Proven<AccountRecord>>;
  accountData(
    key: AccountKey,
    name: string,
  ): Promise<Proven<{ readonly value: Uint8Array; readonly height: Height } | undefined>>;
  session(id: GrantId): Promise<Proven<SessionState | undefined>>;
  /** As EpochReads. That a key is of this validator is shown only if it is a key of its present entry. */
  validator(reference: Uint8Array): Promise<Proven<ValidatorView | undefined>>;
}

/** By the newest committed state. Undefined: not there. */
export interface EpochReads {
  list(page: PageRequest): Promise<Epochs>;
  /** Undefined epoch: the current one. */
  record(epoch: number | undefined): Promise<EpochRecordJson | undefined>;
  /** Waiting: only those that a seal is awaited for. */
  validators(page: PageRequest & { readonly waiting?: boolean }): Promise<ValidatorPage>;
  /** An id, 32 bytes, or a BLS key, 48 bytes. */
  validator(reference: Uint8Array): Promise<ValidatorView | undefined>;
  proposals(page: PageRequest): Promise<ProposalPage>;
  proposal(id: ProposalId): Promise<ProposalView | undefined>;
}

export interface InstalledApplication {
  /** SHA-256 of the artifact. */
  readonly hash: Uint8Array;
  /** Its bytes. */
  readonly artifact: Uint8Array;
  readonly manifest: ApplicationManifest;
}

/** In the order of genesis. Undefined: its artifact is not here, as of epochs that this node did not execute. */
export type InstalledApplications = readonly (InstalledApplication | undefined)[];

/** A committed block, whose state was read. */
export interface StateRead {
  readonly height: Height;
  readonly epoch: number;
}

export type QueryOutcome =
  | (StateRead & { readonly type: 'answer'; readonly output: Uint8Array })
  /** The application refuses, with a code of its own. */
  | { readonly type: 'failed'; readonly code: string }
  | { readonly type: 'fault'; readonly reason: FailureCode; readonly message: string }
  | { readonly type: 'overloaded'; readonly retryAfterMs: number };

interface EntryPageRequest {
  /** As `host.key` has it. */
  readonly after: Uint8Array | undefined;
  readonly limit: number;
  readonly reverse: boolean;
}

interface StoredValues {
  readonly application: number;
  /** Whose program converts them. */
  readonly epoch: number;
  readonly table: number;
  readonly values: readonly Uint8Array[];
}

export type ConvertOutcome =
  | { readonly type: 'converted'; readonly values: readonly Uint8Array[] }
  | Exclude<QueryOutcome, { readonly type: 'answer' }>;

/** Behind an event, or before the first one of a block. */
export interface EventPlace {
  readonly height: number;
  /** Of the receipt in its block. */
  readonly index: number;
  /** Among the events of the receipt's output. */
  readonly position: number;
}

interface EventRecord extends ApplicationEvent, EventPlace {
  readonly blockId: BlockId;
  readonly transactionId: TransactionId;
}

/** Oldest first. */
interface EventPageRecord {
  readonly events: readonly EventRecord[];
  readonly next: EventPlace;
  readonly more: boolean;
  /** Newest committed height. */
  readonly height: Height;
}

interface EventPageRequest {
  readonly application: number;
  /** In the manifest. Undefined: all. */
  readonly event: number | undefined;
  /** Undefined: the oldest retained block. */
  readonly from: EventPlace | undefined;
  readonly limit: number;
}

/** Applications by their numbers in genesis; keys and values as bytes, in the forms of the manifests. */
export interface ApplicationReads {
  /** What blocks of this epoch run; the same list for the same artifacts. */
  inEpoch(epoch: number): Promise<InstalledApplications>;
  /** A key of the state. */
  entry(key: Uint8Array): Promise<StateRead & { readonly value: Uint8Array | undefined }>;
  /** Of a sorted table, in the order of keys. `next`: the page after this one comes after it. */
  entries(
    application: number,
    table: TableManifest,
    page: EntryPageRequest,
  ): Promise<
    StateRead & {
      readonly items: readonly { readonly key: Uint8Array; readonly value: Uint8Array }[];
      readonly next: Uint8Array | undefined;
    }
  >;
  /** Values that earlier versions of the table wrote, as the application reads them now, in the form of the manifest. */
  converted(of: StoredValues): Promise<ConvertOutcome>;
  query(of: { readonly application: number; readonly name: string; readonly input: Uint8Array }): Promise<QueryOutcome>;
  /** Undefined: blocks from there on are pruned. */
  events(page: EventPageRequest): Promise<EventPageRecord | undefined>;
}

export interface NodeBackend {
  readonly genesis: Genesis;
  readonly applications: ApplicationReads;
  readonly events: EventHub;
  /** Newest committed; a header of every answer. */
  height(): number;
  /** Of the newest committed block; a header of every answer. */
  epoch(): number;
  status(): Promise<Status>;
  /** Blocked ones too. */
  peers(): Promise<readonly Peer[]>;

  /** `bytes`: at most TRANSACTION_BYTES_MAX. `source` pays for failed verifications. */
  submit(bytes: Uint8Array, source?: string): Promise<SubmitOutcome>;
  /** One outcome each, in order. The bytes are not retained. */
  submitMany(transactions: readonly Uint8Array[], source?: string): Promise<readonly SubmitOutcome[]>;
  /** Or a row, by its id. */
  transaction(id: TransactionId): Promise<Lookup<TransactionRecord>>;
  /**
   * Resolves at the last stage, at an end, or when the signal aborts (with the state by then). At stage final, receipt and proof can be
   * read here.
   */
  waitFor(id: TransactionId, stages: readonly WaitStage[], signal: AbortSignal): Promise<Lookup<TransactionRecord>>;
  /** `not-ready`: known, without a certified receipt yet. */
  proof(
    id: TransactionId,
  ): Promise<
    Lookup<InclusionProof> | { readonly type: 'row'; readonly value: RowProofRecord } | { readonly type: 'not-ready' }
  >;
  readonly faucet: ((account: AccountKey, amount: bigint | undefined) => Promise<SubmitOutcome>) | undefined;

  /** In the order of the keys, all of one height. */
  accounts(keys: readonly AccountKey[]): Promise<readonly AccountRecord[]>;
  /** By index, or an account's newest. `not-ready`: no certificate covers it yet. */
  directoryEntry(of: number | AccountKey): Promise<Lookup<DirectoryProof> | { readonly type: 'not-ready' }>;
  identity(anchor: AccountKey): Promise<{ readonly devices: readonly AccountKey[]; readonly height: Height }>;
  session(id: GrantId): Promise<Lookup<SessionState>>;
  /** `refused`: this node can create no credential. */
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
  blockOutcomes(reference: BlockReference): Promise<Lookup<BlockOutcomesRecord>>;
  /** That ran. */
  blockBatches(reference: BlockReference, page: PageRequest): Promise<Lookup<Page<BatchSummary>>>;
  batch(batchId: Uint8Array): Promise<Lookup<BatchSummary>>;
  batchRows(batchId: Uint8Array, page: PageRequest): Promise<Lookup<Page<RanRow>>>;
  certificates(height: Height): Promise<Lookup<HeightCertificatesRecord>>;
  fees(): Promise<FeeRecord>;
  readonly epochs: EpochReads;
  readonly proven: ProvenReads;
  /** The root key's certificate of the committee of genesis; undefined: this node has none. */
  readonly root: Pick<CommitteeCertificate, 'rootKey' | 'expiryMs' | 'signature'> | undefined;
  /** Of consecutive epochs from this one on; none when it is not over. */
  handovers(from: number, limit: number): Promise<readonly Handover[]>;
  evidence(page: PageRequest): Promise<Page<Evidence>>;

  blockPeer(peer: PeerKey, reason: string): Promise<AdminOutcome>;
  unblockPeer(peer: PeerKey): Promise<AdminOutcome>;
  /** Those that the chain names, and those that this node has. */
  artifacts(): Promise<readonly ArtifactView[]>;
  acceptArtifact(hash: Uint8Array): Promise<AcceptOutcome>;
  quarantine(): Promise<readonly QuarantineView[]>;
  /** By name. `unknown`: no such action. */
  quarantineAction(application: string, action: string): Promise<AdminOutcome>;
  /** `unknown`: it is not in quarantine. */
  liftQuarantine(application: string, action: string): Promise<AdminOutcome>;
  readonly operation: Operation;
}
