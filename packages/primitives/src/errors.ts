/**
 * Errors: one class per package, each with a closed table of codes and typed data.
 *
 * The message says what happened, to what, and what to do; the code is stable and is what programs switch over.
 * What a peer or a client may legitimately send is never thrown: it is a Result.
 */

/** Base of every error this project throws on purpose. */
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

export type PrimitivesErrorCode = 'hex-malformed' | 'invariant-broken' | 'encode-failed';

export class PrimitivesError extends CodedError<PrimitivesErrorCode> {}

/**
 * States an invariant of this program at the place that relies on it. A failure is a bug here, never bad input.
 * Throws PrimitivesError `invariant-broken`.
 */
export function assert(condition: unknown, invariant: string): asserts condition {
  if (!condition) throw new PrimitivesError('invariant-broken', `invariant broken: ${invariant}`);
}

/** The end of an exhaustive switch over a closed union: the compiler rejects a case that was forgotten. */
export function unreachable(value: never, what: string): never {
  throw new PrimitivesError('invariant-broken', `unknown ${what}: ${String(value)}`);
}
