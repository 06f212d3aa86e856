/** The only error of this package. `code` is a problem code of the node (packages/schema) or a code of the client. */
import { CodedError } from '@slipstream/primitives';
import type { Problem, ProblemCode } from '@slipstream/schema';

export type ClientErrorCode =
  | ProblemCode
  /** No answer from a node: connection refused or reset, no name, no route, or a gateway error. Repeating is safe. */
  | 'network'
  /** No answer in time. Repeating is safe. */
  | 'timeout'
  /** The caller's signal aborted the request. */
  | 'aborted'
  /** An answer that this version does not understand. */
  | 'malformed-answer'
  /** An argument that every node would refuse. */
  | 'bad-argument'
  /** The node is not of the chain that the client expects. */
  | 'wrong-chain';

export class ClientError extends CodedError<ClientErrorCode> {
  /** The node's problem, when it sent one. */
  get problem(): Problem | undefined {
    return this.data.problem as Problem | undefined;
  }

  /** Requested delay before a repetition, ms. */
  get retryAfterMs(): number | undefined {
    return this.problem?.retryAfterMs ?? (this.data.retryAfterMs as number | undefined);
  }

  /** Whether the same request may succeed later. */
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
