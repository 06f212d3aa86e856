/** The only error of this package. `code`: a problem code of the node (packages/schema) or one of the client. */
import { CodedError } from '@slipstream/primitives';
import type { Problem, ProblemCode } from '@slipstream/schema';

export type ClientErrorCode =
  | ProblemCode
  /** Connection refused or reset, no name, no route, or a gateway error. Repeating is safe. */
  | 'network'
  /** No answer in time. Repeating is safe. */
  | 'timeout'
  /** The caller's signal aborted it. */
  | 'aborted'
  /** This version does not understand the answer. */
  | 'malformed-answer'
  /** Every node would refuse it. */
  | 'bad-argument'
  /** The node is of another chain. */
  | 'wrong-chain';

export class ClientError extends CodedError<ClientErrorCode> {
  get problem(): Problem | undefined {
    return this.data.problem as Problem | undefined;
  }

  /** Requested delay before a repetition. */
  get retryAfterMs(): number | undefined {
    return this.problem?.retryAfterMs ?? (this.data.retryAfterMs as number | undefined);
  }

  /** The same request may succeed later. */
  get retryable(): boolean {
    return RETRYABLE.has(this.code);
  }
}

const RETRYABLE: ReadonlySet<ClientErrorCode> = new Set<ClientErrorCode>([
  'network',
  'timeout',
  'request-timeout',
  'rate-limited',
  'overloaded',
  'not-ready',
  'internal',
]);

export function problemError(problem: Problem): ClientError {
  return new ClientError(problem.code, problem.detail, { problem, status: problem.status });
}
