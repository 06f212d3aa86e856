/**
 * The port to workers that run calls of a block beside the executor, each in realms of its own (applications.md, "Parallel calls").
 *
 * No result depends on them: what is late, lost or missing the executor computes itself.
 */
import type { AccountKey, GenesisHash } from '@slipstream/types';

/** What a call needs besides its artifact. */
export interface HandedCall {
  /** Number of the application. */
  readonly application: number;
  readonly action: number;
  /** Of the transaction: an account's scheme and key, 33 bytes. */
  readonly sender: Uint8Array;
  /** 32 bytes. */
  readonly transactionId: Uint8Array;
  readonly input: Uint8Array;
  /** Declared keys in their order, with the values of the block's parent. */
  readonly entries: readonly HandedEntry[];
  /** A longer result is not worth its way back. */
  readonly resultBytesMax: number;
}

export interface HandedEntry {
  readonly key: Uint8Array;
  readonly value: Uint8Array | undefined;
}

/** The same for all calls of a block. */
export interface HandedBlock {
  readonly genesisHash: GenesisHash;
  readonly timestampMs: number;
  readonly height: number;
  /** Hashes of the artifacts, by number of the application. */
  readonly artifacts: readonly Uint8Array[];
}

export type CallChange = {
  /** Position of its key among the declared ones. */
  readonly at: number;
} & ({ readonly value: Uint8Array | undefined } | { readonly balance: bigint });

export type HandedResult = {
  readonly output: Uint8Array;
  /** Coins that the call collected; and the largest sum that it came to or asked for, which a session's limit must not be below. */
  readonly collected: bigint;
  readonly asked: bigint;
} & (
  | { readonly ok: true; readonly changes: readonly CallChange[]; readonly paid: readonly AccountKey[] }
  | { readonly ok: false; readonly code: string }
);

export interface CallWorkers {
  /** Those that could take calls now. */
  readonly count: number;
  /** us, to measure calls. */
  nowUs(): number;
  hand(block: HandedBlock, calls: readonly HandedCall[]): HandedCalls;
}

/** Calls of a block under execution, by position. */
export interface HandedCalls {
  /**
   * Undefined: the executor runs it, and no worker begins it from now on.
   *
   * @param waitMsMax for a worker that has begun it
   */
  take(position: number, waitMsMax: number): HandedResult | undefined;
  /** Its result would not be used. */
  drop(position: number): void;
  /** Nothing is taken after it. */
  end(): void;
}
