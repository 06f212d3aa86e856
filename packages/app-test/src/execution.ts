/** What carries out the calls of a test, on a state of its own. */
import type { QueryResult } from '@slipstream/app/program';
import type { MeteredProgram } from '@slipstream/app-realm';

export type CallStatus =
  | { readonly status: 'success' }
  /** A code of `fail`, or of the receipt. An engine words the message. */
  | { readonly status: 'failed'; readonly code: string; readonly message?: string };

export interface Emitted {
  readonly event: number;
  readonly body: Uint8Array;
}

/** Keys count once, however often they are read or written. */
export interface Counts {
  readonly reads: number;
  /** Put or deleted. */
  readonly writes: number;
  /** Of values put and of events. */
  readonly bytes: number;
}

export interface Outcome {
  /** 32 bytes; genesis is no transaction, and has zeros. */
  readonly transactionId: Uint8Array;
  readonly result: CallStatus;
  /** Hexadecimal, by table and key; "" where the entry was deleted. Empty unless the call succeeded. */
  readonly writes: Readonly<Record<string, string>>;
  /** Empty unless the call succeeded. */
  readonly events: readonly Emitted[];
  readonly ticks: number;
  readonly counts: Counts;
}

export interface Call {
  /** Its number. */
  readonly action: number;
  readonly input: Uint8Array;
  /** 33 bytes. */
  readonly sender: Uint8Array;
  /** Of its block. */
  readonly timeMs: number;
  readonly height: number;
}

/** All functions that take a program use its realm as it is. */
export interface Execution {
  genesis(program: MeteredProgram, input: Uint8Array): Outcome;
  call(program: MeteredProgram, call: Call): Outcome;
  /** What the next call would give. Nothing changes. */
  tryCall(program: MeteredProgram, call: Call): Outcome;
  query(program: MeteredProgram, name: string, input: Uint8Array): QueryResult;
  /** Names of those that do not hold. */
  invariants(program: MeteredProgram): readonly string[];
  /** Of the chain's native coins. */
  balance(account: Uint8Array): bigint;
  setBalance(account: Uint8Array, amount: bigint): void;
  /** By table and key, hexadecimal. */
  readonly entries: ReadonlyMap<string, Uint8Array>;
}
