import { CodedError } from '@slipstream/primitives';

type TestErrorCode =
  /** The file's application is another one than the test's. */
  | 'another-application'
  | 'genesis-failed'
  /** An action or query failed; `data.code` says with what. */
  | 'call-failed'
  /** A call succeeded, or failed with another code, where a failure was expected. */
  | 'failure-expected'
  | 'invariant-broken'
  /** A new realm and a used one gave different results: the application remembers something outside of its state. */
  | 'realms-differ'
  /** A simulation found one of the faults above; `data` has seed and step. */
  | 'simulation-failed';

export class TestError extends CodedError<TestErrorCode> {}
