/**
 * Messages between the executor's thread and the others. Heads are small; blocks, certificates and chunks are bytes.
 *
 *   main --blocks, certificates--> executor --digests, commits, telemetry--> main
 *   main <--payload request------- executor          main, API --state keys--> executor
 */
import type { ChunkVerdict } from '@slipstream/dissemination';
import type { PipelineStatus } from '@slipstream/pipeline';
import type { StateStats } from '@slipstream/state';
import {
  type Block,
  type BlockId,
  type Genesis,
  type GenesisHash,
  ID_BYTES,
  type PreparedTransaction,
  SKIP_REASONS,
  type SkipReason,
} from '@slipstream/types';
import type { Handlers, Outlet, Side } from '../threads/channel.ts';
import type { WireError } from '../threads/errors.ts';
import type { TelemetryLine } from '../threads/thread-telemetry.ts';

export interface ExecutorSetting {
  /** Absolute path of the data folder. */
  readonly folder: string;
  readonly genesis: Genesis;
  readonly genesisHash: GenesisHash;
  /** Artifacts, in the order of genesis. */
  readonly applications: readonly Uint8Array[];
  /** Threads for calls of parallel actions, on a chain that has such actions. */
  readonly callWorkers: number;
  /** Artifacts of later epochs. */
  readonly accepted: readonly Uint8Array[];
  /** This process checked or wrote the ledger's files. */
  readonly ledgerIsChecked: boolean;
  readonly mode: 'parallel' | 'sequential';
  /** One transaction in so many; 0: tracing is off. */
  readonly tracedOneIn: number;
  readonly profilesTurns: boolean;
  /** Undefined: no snapshots. */
  readonly snapshots: { readonly directory: string; readonly every: number; readonly keep: number } | undefined;
  /** Development: height from which blocks are executed wrongly. */
  readonly divergeAt: number | undefined;
  readonly retention: { readonly archive: boolean; readonly blocks: number };
}

/** What the executor's thread gets. */
export interface ExecutorThreadSetting extends ExecutorSetting {
  /** See call-watch.ts. */
  readonly callInHand: SharedArrayBuffer;
}

type StatusHead = { readonly [K in keyof PipelineStatus]: PipelineStatus[K] };

export type StoredHead = {
  readonly state: { readonly [K in keyof StateStats]: StateStats[K] };
  /** null while nothing was pruned. */
  readonly earliestHeight: number | null;
};

export type OpenedHead = {
  readonly status: StatusHead;
  readonly stored: StoredHead;
  /** See KnownEpochs. */
  readonly epoch: number;
};

export type HaltHead = {
  readonly type: 'diverged' | 'failed';
  readonly height: number;
  readonly message: string;
  /** The disk refused a write, and the computed results are right. */
  readonly byDisk: boolean;
};

export interface StateReadsSide extends Side {
  readonly calls: {
    /** bytes: keys. Answer: the present values; `missing`: positions of keys without a value. */
    readonly read: readonly [null, { readonly height: number; readonly missing: readonly number[] }];
    /** bytes: keys. Answer's bytes: see state-proving.ts. */
    readonly prove: readonly [null, ProvenHead];
  };
  readonly notices: Readonly<Record<never, never>>;
}

export type ProvenHead =
  | {
      readonly [name: string]: string | number | readonly number[];
      readonly type: 'proven';
      readonly height: number;
      /** Positions of keys without a value. */
      readonly missing: readonly number[];
    }
  /** The values have more than PROOF_VALUE_BYTES_MAX. */
  | { readonly type: 'too-large' }
  /** The pipeline has halted. */
  | { readonly type: 'stopped' }
  /** The key at this position shares its prefix with another one (R9). */
  | { readonly [name: string]: string | number; readonly type: 'shared-prefix'; readonly at: number };

export interface ExecutorSide extends Side {
  readonly calls: Pick<StateReadsSide['calls'], 'read'> & {
    /** Resolves when the stores are reconciled. Answer's bytes: fee state, epoch records (KnownEpochs). */
    readonly open: readonly [null, OpenedHead];
    readonly stop: readonly [null, null];
    /** bytes: an artifact of a later epoch, which is loaded now. Rejected with the code of what it cannot be loaded for. */
    readonly accept: readonly [null, null];
    /** Answer's bytes: registrationBytes of packages/execution from an index on; none: no more. Before `start`. */
    readonly registrations: readonly [{ readonly from: number }, null];
    /** bytes: block id. Answer's bytes: digest preimage, segment of the state store, parent's id; none: not retained. */
    readonly segment: readonly [null, null];
    readonly putEvidence: readonly [null, null];
    readonly putPeerBlock: readonly [null, null];
    /** Answer's bytes as in SnapshotArchive; none: not available. */
    readonly manifest: readonly [null, null];
    readonly piece: readonly [{ readonly file: number; readonly offset: number }, null];
    /** The first `blocks` byte strings are blocks. */
    readonly receipts: readonly [{ readonly from: number; readonly to: number }, { readonly blocks: number }];
  };
  readonly notices: {
    readonly start: null;
    /** bytes: block id, block. */
    readonly execute: null;
    /** bytes: block id, block, certificate. */
    readonly finalized: null;
    /** bytes: certificate. */
    readonly certified: null;
    /** bytes: block id, block, certificate, fillers. */
    readonly moved: null;
    /** bytes: block id. */
    readonly notarized: null;
  };
}

export interface MainSide extends Side {
  readonly calls: {
    /** bytes: block id, block. Answer's bytes: see packPayload. */
    readonly payload: readonly [null, null];
  };
  readonly notices: {
    /** bytes: block id, state digest. */
    readonly digested: null;
    readonly committed: StatusHead;
    /** bytes: encoded registrations of the height. Only on a chain with an account directory. */
    readonly directoryGrown: { readonly height: number };
    /** bytes: record hash, record. */
    readonly sealed: { readonly height: number };
    /** bytes: block id; for a divergence also own digest and certificate. */
    readonly halted: HaltHead;
    /** The node must stop. */
    readonly damaged: WireError;
    readonly stored: StoredHead;
    readonly telemetry: readonly TelemetryLine[];
  };
}

const MIB = 1024 * 1024;

export const EXECUTOR_QUEUES: Outlet<ExecutorSide> = {
  queues: {
    // Consensus bounds its requests; a lost one would stop the chain here.
    'executor-blocks': { messagesMax: 65_536, bytesMax: 512 * MIB, whenFull: 'fail' },
    'executor-reads': { messagesMax: 4096, bytesMax: 16 * MIB, whenFull: 'refuse' },
    // Joining peers ask for megabytes; one without an answer asks again, or asks another node.
    'executor-archive': { messagesMax: 64, bytesMax: MIB, whenFull: 'refuse' },
    'executor-records': { messagesMax: 1024, bytesMax: 16 * MIB, whenFull: 'refuse' },
    'executor-control': { messagesMax: 4, bytesMax: 2 * MIB, whenFull: 'fail' },
  },
  queueOf: {
    start: 'executor-blocks',
    execute: 'executor-blocks',
    finalized: 'executor-blocks',
    certified: 'executor-blocks',
    moved: 'executor-blocks',
    notarized: 'executor-blocks',
    read: 'executor-reads',
    manifest: 'executor-archive',
    piece: 'executor-archive',
    receipts: 'executor-archive',
    segment: 'executor-archive',
    putEvidence: 'executor-records',
    putPeerBlock: 'executor-records',
    open: 'executor-control',
    registrations: 'executor-control',
    stop: 'executor-control',
    accept: 'executor-control',
  },
};

export const MAIN_QUEUES: Outlet<MainSide> = {
  queues: {
    // A node that catches up has 256 open blocks of at most 64 KiB each, and rivals. A refused request is repeated with delay, so a smaller
    // queue slows the catch-up.
    'main-payloads': { messagesMax: 4096, bytesMax: 64 * MIB, whenFull: 'refuse' },
    'main-commits': { messagesMax: 65_536, bytesMax: 512 * MIB, whenFull: 'fail' },
    'main-telemetry': { messagesMax: 1024, bytesMax: MIB, whenFull: 'drop' },
  },
  queueOf: {
    payload: 'main-payloads',
    digested: 'main-commits',
    committed: 'main-commits',
    directoryGrown: 'main-commits',
    sealed: 'main-commits',
    halted: 'main-commits',
    damaged: 'main-commits',
    stored: 'main-telemetry',
    telemetry: 'main-telemetry',
  },
};

export const STATE_READ_QUEUES: Outlet<StateReadsSide> = {
  queues: {
    'executor-reads': { messagesMax: 4096, bytesMax: 16 * MIB, whenFull: 'refuse' },
    // Of 64 keys each: seconds of hashing, beyond which clients get 503.
    'executor-proofs': { messagesMax: 256, bytesMax: 2 * MIB, whenFull: 'refuse' },
  },
  queueOf: { read: 'executor-reads', prove: 'executor-proofs' },
};

export interface NoSide extends Side {
  readonly calls: Readonly<Record<never, never>>;
  readonly notices: Readonly<Record<never, never>>;
}
export const NO_HANDLERS: Handlers<NoSide> = { calls: {}, notices: {} };
export const NO_QUEUES: Outlet<NoSide> = { queues: {}, queueOf: {} };

export interface SuppliedChunk {
  /** Serialized signed chunk. */
  readonly bytes: Uint8Array;
  /** One per transaction: see verdictByte. */
  readonly verdicts: Uint8Array;
  /** Concatenated ids: hashing the transactions again costs as much as decoding them. */
  readonly ids: Uint8Array;
  /** For each batch its id, then a BATCH_VERDICTS byte. */
  readonly batches: Uint8Array;
}

/** Waits until every chunk of the block is here and verified. */
export type RequestPayload = (blockId: BlockId, block: Block, signal: AbortSignal) => Promise<readonly SuppliedChunk[]>;

/** Four byte strings per chunk, in the order of the payload. */
export function packPayload(chunks: readonly SuppliedChunk[]): readonly Uint8Array[] {
  return chunks.flatMap(({ bytes, verdicts, ids, batches }) => [bytes, verdicts, ids, batches]);
}

export function unpackPayload(parts: readonly Uint8Array[]): readonly SuppliedChunk[] {
  return Array.from({ length: parts.length / 4 }, (_, i) => {
    const [bytes, verdicts, ids, batches] = parts.slice(4 * i) as [Uint8Array, Uint8Array, Uint8Array, Uint8Array];
    return { bytes, verdicts, ids, batches };
  });
}

const BATCH_VERDICTS = { bad: 0, good: 1, unjudged: 2 } as const;
const BATCH_BYTES = ID_BYTES + 1;

interface JudgedBatch {
  readonly batchId: Uint8Array;
  /** Undefined: not judged for its block. */
  readonly isValid: boolean | undefined;
}

export function packBatches(batches: readonly JudgedBatch[]): Uint8Array {
  const packed = new Uint8Array(BATCH_BYTES * batches.length);
  for (const [i, { batchId, isValid }] of batches.entries()) {
    packed.set(batchId, BATCH_BYTES * i);
    const verdict = isValid === undefined ? 'unjudged' : isValid ? 'good' : 'bad';
    packed[BATCH_BYTES * i + ID_BYTES] = BATCH_VERDICTS[verdict];
  }
  return packed;
}

export function unpackBatches(packed: Uint8Array): readonly JudgedBatch[] {
  return Array.from({ length: packed.length / BATCH_BYTES }, (_, i) => {
    const from = BATCH_BYTES * i;
    const verdict = packed[from + ID_BYTES];
    const isValid = verdict === BATCH_VERDICTS.unjudged ? undefined : verdict === BATCH_VERDICTS.good;
    return { batchId: packed.subarray(from, from + ID_BYTES), isValid };
  });
}

const GOOD = 0;
const FAULTS = new Map(Object.entries(SKIP_REASONS).map(([name, code]) => [code as number, name as SkipReason]));

/** 0: valid signature, else the code of the skip reason. */
export function verdictByte(verdict: ChunkVerdict): number {
  return verdict === 'good' ? GOOD : SKIP_REASONS[verdict];
}

const SIGNED: Pick<PreparedTransaction, 'signatureValid' | 'fault'> = { signatureValid: true };

export function verdictOf(byte: number | undefined): Pick<PreparedTransaction, 'signatureValid' | 'fault'> {
  if (byte === GOOD) return SIGNED;
  return { signatureValid: false, fault: FAULTS.get(byte ?? -1) as PreparedTransaction['fault'] };
}
