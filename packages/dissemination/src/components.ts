import type {
  Clock,
  Compression,
  DistilledVerifier,
  FrameSender,
  PeerKey,
  Signer,
  Telemetry,
  Transport,
  Verifier,
} from '@slipstream/ports';
import type {
  AccountKey,
  BlockReason,
  ChunkId,
  Epoch,
  Genesis,
  GenesisHash,
  SignedChunkHeader,
  Transaction,
  TransactionId,
  Units,
} from '@slipstream/types';
import type { Wal } from '@slipstream/wal';
import type { Directory } from './batches/batch-judge.ts';
import type { Epochs } from './epochs/committees.ts';
import type { SessionReason } from './intake/session-messages.ts';
import type { DisseminationLimits } from './limits.ts';

interface SessionQuery {
  readonly transaction: Transaction;
  readonly id: TransactionId;
}

/** Execution's rules, applied early to save work. */
export interface Rules {
  /**
   * Upper bound for execution. Part of the protocol: a chunk's header carries the sum by the record of its epoch. Undefined: this node
   * lacks what the record names, so it cannot say.
   */
  unitsOf(transaction: Transaction | undefined, bytes: number, epoch: Epoch): Units | undefined;
  /** The highest fee when a block executes a chunk packed now. */
  feeOf(units: Units): bigint;
  /** Whether a fee may have risen since the last call. Undefined: fees never change. */
  haveFeesRisen?(): boolean;
  /** Least maxFee of an urgent transaction at current prices. Undefined: all are ordinary. */
  urgentMaxFee?(transaction: Transaction, units: Units): bigint;
  /** By clock and committed state, one answer each. */
  readonly sessionRefusals?:
    | ((questions: readonly SessionQuery[], nowMs: number) => Promise<readonly (SessionReason | undefined)[]>)
    | undefined;
  /** What this node keeps out of its pool and its own blocks, for whatever reason. It never changes how others' blocks are judged. */
  readonly quarantine?:
    | {
        /** For the submitter; undefined: nothing of the transaction is left out. */
        refusalOf(transaction: Transaction): string | undefined;
        /** Whether a chunk with these transactions is left out. Lower-case hex ids. */
        holds(ids: readonly string[]): boolean;
      }
    | undefined;
  /** Committed; undefined: not looked up. */
  readonly balancesOf?: ((accounts: readonly AccountKey[]) => Promise<readonly (bigint | undefined)[]>) | undefined;
}

export interface ChunkEquivocation {
  /** Index in the committee of the chunks' epoch. */
  readonly offender: number;
  /** The offender's. */
  readonly peer: PeerKey;
  readonly first: SignedChunkHeader;
  readonly second: SignedChunkHeader;
}

/** A quorum has stored it. */
export interface AttestedChunk {
  readonly chunkId: ChunkId;
  /** Index in the current committee; of a validator that left, in that of the chunk's epoch. */
  readonly producer: number;
  /** Lower-case hex, no prefix. */
  readonly transactionIds: readonly string[];
  /** Of its distilled batches. */
  readonly rows: number;
  readonly sinceCreatedMs: number;
}

export interface Reports {
  /** A peer sent what no honest peer sends. */
  offence(peer: PeerKey, reason: BlockReason, detail: string): void;
  equivocation(evidence: ChunkEquivocation): void;
  /** A chunk of the current epoch, and its producer's index, is stored; its frame is to be relayed. */
  stored?(producer: number, frame: Uint8Array): void;
  attested?(chunk: AttestedChunk): void;
  /** Log or signer failed: nothing more is packed or acknowledged. */
  failed?(cause: unknown): void;
  /** Whether there is something to include. */
  pendingChanged(pending: boolean): void;
}

export interface FetchedChunk {
  readonly from: PeerKey;
  /** Serialized signed chunk, unchecked. */
  readonly bytes: Uint8Array;
}

/** Hinted peers first; undefined: no peer had it. Rejects only when the signal is aborted. */
export type FetchChunk = (
  chunkId: ChunkId,
  hint: readonly PeerKey[],
  signal: AbortSignal,
) => Promise<FetchedChunk | undefined>;

export interface Components {
  readonly verifier: Verifier;
  /** Undefined: the chain has no account directory. */
  readonly distilled?: { readonly directory: Directory; readonly verifier: DistilledVerifier } | undefined;
  readonly epochs: Epochs;
  /** By the key of this validator in the epoch; undefined: it does not sign. */
  signerOf(epoch: Epoch): Signer | undefined;
  readonly wal: Pick<Wal, 'append'>;
  readonly transport: FrameSender & Pick<Transport, 'peers'>;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  readonly rules: Rules;
  readonly reports: Reports;
  /** From the chunk files; undefined: pruned. */
  readonly loadChunk?: ((chunkId: ChunkId) => Promise<Uint8Array | undefined>) | undefined;
  readonly fetchChunk: FetchChunk;
  /** Undefined: chunks are sent uncompressed. */
  readonly compression?: Compression | undefined;
  /** Resolves once the sequence may be used (sign state). Undefined: only the log guards it. */
  readonly reserveSequence?: ((sequence: number) => Promise<void>) | undefined;
}

/** Whether own chunks ask for storage acks when needed, or all of them do. Members may differ. */
export type AckMode = 'on-demand' | 'always';

export interface Setting {
  readonly genesis: Genesis;
  readonly genesisHash: GenesisHash;
  /** Above every used sequence, of all epochs. */
  readonly firstSequence: number;
  /** Eight secret random bytes, against chosen ids that collide in a table. */
  readonly hashKey: Uint8Array;
  /** Default: on-demand. */
  readonly acks?: AckMode | undefined;
  /** For tests, the simulator and measurements. */
  readonly limits?: Partial<DisseminationLimits> | undefined;
}

export interface LimitedSetting extends Setting {
  readonly limits: DisseminationLimits;
}
