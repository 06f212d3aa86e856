/** An application as a node calls it: bytes and numbers in, bytes and results out. */
import type { Host } from '../host.ts';
import type { ApplicationManifest } from '../manifest.ts';

export interface CallContext {
  /** 33 bytes. */
  readonly sender: Uint8Array;
  /** 32 bytes. */
  readonly transactionId: Uint8Array;
  /** The block's time, milliseconds since 1970. */
  readonly timeMs: number;
  readonly height: number;
}

export type CallFailure =
  /** `fail(code)` of the application: 1 to 64 characters of a-z, 0-9 and "-". */
  | { readonly status: 'failed'; readonly code: string }
  /** The input is not a value of the form, or not its only encoding. */
  | { readonly status: 'bad-input' }
  /** Another exception of the application. The message may differ between versions of a JavaScript engine: for logs, never for receipts. */
  | { readonly status: 'fault'; readonly message: string };

export type CallResult = { readonly status: 'success' } | CallFailure;

export type QueryResult = { readonly status: 'success'; readonly output: Uint8Array } | CallFailure;

/**
 * No function depends on an earlier call: what an action reads, writes and costs in ticks follows from its arguments and the state.
 * All throw what the host throws, and `Interruption`s; `RangeError` for a number or name that the manifest lacks.
 */
export interface Program {
  readonly manifest: ApplicationManifest;
  use(host: Host): void;
  /**
   * Asks `host.key` for each key that the action declares.
   *
   * @returns false when it declares none, and when input or `keys` fail; `call` gives the reason
   */
  declare(action: number, context: CallContext, input: Uint8Array): boolean;
  /**
   * What it put and emitted before another result than success is the host's to undo.
   *
   * @param declared called once the keys of an action that declares some are declared, before it runs
   */
  call(action: number, context: CallContext, input: Uint8Array, declared?: () => void): CallResult;
  query(name: string, input: Uint8Array): QueryResult;
  /** A stored value of the table, as the application reads it, in the table's present form. `bad-input`: it is no value of the table. */
  convert(table: number, value: Uint8Array): QueryResult;
  /** `bad-input` also for an application without genesis and input that is not empty. */
  genesis(input: Uint8Array): CallResult;
  /** Names of the invariants that do not hold, or fail. */
  invariants(): readonly string[];
}
