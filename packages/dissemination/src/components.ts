/** What dissemination needs from outside, and what it reports. Each module takes the part that it uses. */
import type { Clock, Compression, PeerKey, Signer, Telemetry, Transport, Verifier } from '@slipstream/ports';
import type {
  AccountKey,
  BlockReason,
  ChunkId,
  Committee,
  Genesis,
  GenesisHash,
  SignedChunkHeader,
  Transaction,
  TransactionId,
  Units,
} from '@slipstream/types';
import type { Wal } from '@slipstream/wal';
import type { SessionReason } from './intake/session-messages.ts';
import type { DisseminationLimits } from './limits.ts';

interface SessionQuery {
  readonly transaction: Transaction;
  readonly id: TransactionId;
}

/** Rules of execution that dissemination applies early. They only save work: execution judges. */
export interface Rules {
  /** Upper bound of what its execution takes. Part of the protocol: a chunk's header carries the sum. */
  unitsOf(transaction: Transaction | undefined, bytes: number): Units;
  /** The highest fee when a block executes a chunk that is packed now. */
  feeOf(units: Units): bigint;
  /** Whether any fee may have risen since the last call. Undefined: fees never change. */
  haveFeesRisen?(): boolean;
  /** The least maxFee of an urgent transaction at current prices; called where it has a fee. Undefined: all are ordinary. */
  urgentMaxFee?(transaction: Transaction, units: Units): bigint;
  /** What is wrong with their sessions by clock and committed state, one answer each. */
  readonly sessionRefusals?:
    | ((questions: readonly SessionQuery[], nowMs: number) => Promise<readonly (SessionReason | undefined)[]>)
    | undefined;
  /** Committed balances; undefined: not looked up. */
  readonly balancesOf?: ((accounts: readonly AccountKey[]) => Promise<readonly (bigint | undefined)[]>) | undefined;
}

/** Two chunks of one sequence, both signed by their producer. */
export interface ChunkEquivocation {
  readonly offender: number;
  readonly first: SignedChunkHeader;
  readonly second: SignedChunkHeader;
}

/** A quorum has stored a chunk: its transactions are attested. */
export interface AttestedChunk {
  readonly chunkId: ChunkId;
  readonly producer: number;
  /** Lower-case hex, no prefix. */
  readonly transactionIds: readonly string[];
  readonly sinceCreatedMs: number;
}

export interface Reports {
  /** A peer sent what no honest peer sends. */
  offence(peer: PeerKey, reason: BlockReason, detail: string): void;
  equivocation(evidence: ChunkEquivocation): void;
  /** A chunk came from its producer and is stored: the frame, to be relayed. */
  stored?(producer: number, frame: Uint8Array): void;
  attested?(chunk: AttestedChunk): void;
  /** The log or the signer failed: nothing more is packed or acknowledged. */
  failed?(cause: unknown): void;
  /** There is now something to include in a block, or no longer. */
  pendingChanged(pending: boolean): void;
}

export interface FetchedChunk {
  readonly from: PeerKey;
  /** Serialized signed chunk: unchecked. */
  readonly bytes: Uint8Array;
}

/** Requests a chunk from peers, those of the hint first; undefined when none had it. Rejects only when the signal is aborted. */
export type FetchChunk = (
  chunkId: ChunkId,
  hint: readonly PeerKey[],
  signal: AbortSignal,
) => Promise<FetchedChunk | undefined>;

export interface Components {
  readonly verifier: Verifier;
  /** The validator's own; undefined on a full node. */
  readonly signer: Signer | undefined;
  readonly wal: Pick<Wal, 'append' | 'sync'>;
  readonly transport: Pick<Transport, 'send' | 'broadcast' | 'peers'>;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  readonly rules: Rules;
  readonly reports: Reports;
  /** Chunks of committed blocks from the chunk files; undefined when they are pruned. */
  readonly loadChunk?: ((chunkId: ChunkId) => Promise<Uint8Array | undefined>) | undefined;
  readonly fetchChunk: FetchChunk;
  /** For chunks on the wire; undefined: they are sent uncompressed. */
  readonly compression?: Compression | undefined;
  /** Resolves once a chunk sequence may be used (sign state). Undefined: no guard beside the log. */
  readonly reserveSequence?: ((sequence: number) => Promise<void>) | undefined;
}

export interface Setting {
  readonly genesis: Genesis;
  readonly genesisHash: GenesisHash;
  readonly committee: Committee;
  /** Index in the committee; undefined on a full node. */
  readonly memberIndex: number | undefined;
  /** No chunk of this validator has this sequence or a higher one. */
  readonly firstSequence: number;
  /** Eight secret random bytes: no client may know which ids share a slot of a table. */
  readonly hashKey: Uint8Array;
  /** For tests and the simulator: replaces some constants. */
  readonly limits?: Partial<DisseminationLimits> | undefined;
}

export interface LimitedSetting extends Setting {
  readonly limits: DisseminationLimits;
}
