/**
 * What goes between the executor's thread and the others. Heads are small; blocks, certificates and chunks are their bytes.
 *
 *   main --blocks, certificates--> executor --digests, commits, telemetry--> main
 *   main <--which chunk?--------- executor          main, API --state keys--> executor
 */
import type { ChunkVerdict } from '@slipstream/dissemination';
import type { PipelineStatus } from '@slipstream/pipeline';
import type { StateStats } from '@slipstream/state';
import {
  type Genesis,
  type GenesisHash,
  type PreparedTransaction,
  SKIP_REASONS,
  type SkipReason,
} from '@slipstream/types';
import type { Handlers, Outlet, Side } from '../threads/channel.ts';
import type { WireError } from '../threads/errors.ts';
import type { TelemetryLine } from '../threads/thread-telemetry.ts';

/** What the executor's thread is started with. */
export interface ExecutorSetting {
  /** The data folder, absolute. */
  readonly folder: string;
  readonly genesis: Genesis;
  readonly genesisHash: GenesisHash;
  /** This process has looked at the ledger's files already, or wrote them. */
  readonly ledgerIsChecked: boolean;
  readonly mode: 'parallel' | 'sequential';
  /** Undefined: no snapshots are made. */
  readonly snapshots: { readonly directory: string; readonly every: number; readonly keep: number } | undefined;
  /** Development: from this height on blocks are executed wrongly. */
  readonly divergeAt: number | undefined;
  readonly retention: { readonly archive: boolean; readonly blocks: number };
}

export type StatusHead = { readonly [K in keyof PipelineStatus]: PipelineStatus[K] };

/** What lies in the stores, for people. */
export type StoredHead = {
  readonly state: { readonly [K in keyof StateStats]: StateStats[K] };
  /** The oldest height that is kept, once anything was removed. */
  readonly earliestHeight: number | null;
};

/** How a halt is told: what stopped, and in words why. */
export type HaltHead = {
  readonly type: 'diverged' | 'failed';
  readonly height: number;
  readonly message: string;
  /** The disk refused a write: nothing is wrong with what was computed. */
  readonly byDisk: boolean;
};

/** Reads of committed state: any thread may have a port of its own for them. */
export interface StateReadsSide extends Side {
  readonly calls: {
    /** bytes: keys. Answer: the values of one height, without those that are missing; `missing` holds their positions. */
    readonly read: readonly [null, { readonly height: number; readonly missing: readonly number[] }];
  };
  readonly notices: Readonly<Record<never, never>>;
}

export interface ExecutorSide extends Side {
  readonly calls: StateReadsSide['calls'] & {
    /** Settles when stores are open and reconciled. Answer: the block of the state store's tip, in hex; bytes: fee state. */
    readonly open: readonly [
      null,
      { readonly stateBlock: string; readonly status: StatusHead; readonly stored: StoredHead },
    ];
    /** Finishes or reverts what is under way, closes the stores. */
    readonly stop: readonly [null, null];
    /** bytes: block id. Answer's bytes: digest preimage, segment of the state store, parent's id; none: not known any more. */
    readonly segment: readonly [null, null];
    readonly putEvidence: readonly [null, null];
    readonly putPeerBlock: readonly [null, null];
    /** Answer's bytes: what SnapshotArchive gives; none: not here. */
    readonly manifest: readonly [null, null];
    readonly piece: readonly [{ readonly file: number; readonly offset: number }, null];
    /** The first `blocks` byte strings are blocks, the others parts. */
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
    /** bytes: block id. */
    readonly notarized: null;
  };
}

export interface MainSide extends Side {
  readonly calls: {
    /** bytes: chunk id. Answer's bytes: as SuppliedChunk has them. */
    readonly chunk: readonly [null, null];
  };
  readonly notices: {
    /** bytes: block id, state digest. */
    readonly digested: null;
    /** See committed-news.ts. */
    readonly committed: StatusHead;
    /** bytes: block id; of a divergence also own digest and certificate. */
    readonly halted: HaltHead;
    /** A file of the stores is damaged: the node is to stop. */
    readonly damaged: WireError;
    /** Once a second. */
    readonly stored: StoredHead;
    readonly telemetry: readonly TelemetryLine[];
  };
}

const MIB = 1024 * 1024;

export const EXECUTOR_QUEUES: Outlet<ExecutorSide> = {
  queues: {
    // Consensus bounds what it asks for by its window of views and its sync; losing one would stop the chain here.
    'executor-blocks': { messagesMax: 65_536, bytesMax: 512 * MIB, whenFull: 'fail' },
    'executor-reads': { messagesMax: 4096, bytesMax: 16 * MIB, whenFull: 'refuse' },
    // Peers that join ask for megabytes: they ask again, or others.
    'executor-archive': { messagesMax: 64, bytesMax: MIB, whenFull: 'refuse' },
    'executor-records': { messagesMax: 1024, bytesMax: 16 * MIB, whenFull: 'refuse' },
    'executor-control': { messagesMax: 4, bytesMax: MIB, whenFull: 'fail' },
  },
  queueOf: {
    start: 'executor-blocks',
    execute: 'executor-blocks',
    finalized: 'executor-blocks',
    certified: 'executor-blocks',
    notarized: 'executor-blocks',
    read: 'executor-reads',
    manifest: 'executor-archive',
    piece: 'executor-archive',
    receipts: 'executor-archive',
    segment: 'executor-archive',
    putEvidence: 'executor-records',
    putPeerBlock: 'executor-records',
    open: 'executor-control',
    stop: 'executor-control',
  },
};

export const MAIN_QUEUES: Outlet<MainSide> = {
  queues: {
    // Of a node that catches up: 256 open blocks of 128 chunks each, which all may wait for peers, and rivals. What is refused is asked for
    // again, later each time: with room for a sixth of the questions the blocks took three times as long.
    'main-chunks': { messagesMax: 65_536, bytesMax: 4 * MIB, whenFull: 'refuse' },
    'main-commits': { messagesMax: 65_536, bytesMax: 512 * MIB, whenFull: 'fail' },
    'main-telemetry': { messagesMax: 1024, bytesMax: MIB, whenFull: 'drop' },
  },
  queueOf: {
    chunk: 'main-chunks',
    digested: 'main-commits',
    committed: 'main-commits',
    halted: 'main-commits',
    damaged: 'main-commits',
    stored: 'main-telemetry',
    telemetry: 'main-telemetry',
  },
};

/** For a thread that only reads state, on a port of its own. */
export const STATE_READ_QUEUES: Outlet<StateReadsSide> = {
  queues: { 'executor-reads': { messagesMax: 4096, bytesMax: 16 * MIB, whenFull: 'refuse' } },
  queueOf: { read: 'executor-reads' },
};

/** A side that is only asked, or only asks. */
export interface SilentSide extends Side {
  readonly calls: Readonly<Record<never, never>>;
  readonly notices: Readonly<Record<never, never>>;
}
export const SILENT_HANDLERS: Handlers<SilentSide> = { calls: {}, notices: {} };
export const SILENT_QUEUES: Outlet<SilentSide> = { queues: {}, queueOf: {} };

/** What a chunk's sender knows of it, and the executor does not. */
export interface SuppliedChunk {
  /** Serialized signed chunk. */
  readonly bytes: Uint8Array;
  /** One for each transaction: see verdictByte. */
  readonly verdicts: Uint8Array;
  /** Of its transactions, one after the other: hashing them again would cost as much as reading them. */
  readonly ids: Uint8Array;
}

const GOOD = 0;
const FAULTS = new Map(Object.entries(SKIP_REASONS).map(([name, code]) => [code as number, name as SkipReason]));

/** 0 for a good signature, else the code of what execution skips the transaction for. */
export function verdictByte(verdict: ChunkVerdict): number {
  return verdict === 'good' ? GOOD : SKIP_REASONS[verdict];
}

const SIGNED: Pick<PreparedTransaction, 'signatureValid' | 'fault'> = { signatureValid: true };

export function verdictOf(byte: number | undefined): Pick<PreparedTransaction, 'signatureValid' | 'fault'> {
  if (byte === GOOD) return SIGNED;
  return { signatureValid: false, fault: FAULTS.get(byte ?? -1) as PreparedTransaction['fault'] };
}
