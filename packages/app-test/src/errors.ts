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
  /** A simulation found one of the faults above, or nodes that differ; `data` has the seed, and step or command. */
  | 'simulation-failed'
  /** The program runs outside of a checkout, which has the simulated nodes. */
  | 'simulator-missing'
  | 'simulator-stopped'
  | 'path-unusable';

export class TestError extends CodedError<TestErrorCode> {}
