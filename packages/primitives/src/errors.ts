/**
 * Errors: one class per package, with a closed table of codes and typed data. The message says what happened, to what, and what to do.
 * Input of a peer or client gets a Result, never a throw.
 */

export class CodedError<Code extends string = string> extends Error {
  readonly code: Code;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(code: Code, message: string, data: Readonly<Record<string, unknown>> = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.code = code;
    this.data = data;
  }
}

type PrimitivesErrorCode = 'hex-malformed' | 'invariant-broken' | 'encode-failed';

export class PrimitivesError extends CodedError<PrimitivesErrorCode> {}

/** Asserts an invariant of this program, never of input. Throws PrimitivesError `invariant-broken`. */
export function assert(condition: unknown, invariant: string): asserts condition {
  if (!condition) throw new PrimitivesError('invariant-broken', `invariant broken: ${invariant}`);
}

/** Ends an exhaustive switch: the compiler rejects a missing case. */
export function unreachable(value: never, what: string): never {
  throw new PrimitivesError('invariant-broken', `unknown ${what}: ${String(value)}`);
}
