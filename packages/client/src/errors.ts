/** The one error of this package. `code` is a problem code of the node (packages/schema), or one of this side. */
import { CodedError } from '@slipstream/primitives';
import type { Problem, ProblemCode } from '@slipstream/schema';

export type ClientErrorCode =
  | ProblemCode
  /** No answer of a node: refused, reset, no name, no route, or a proxy that reached none. Sending the same again is safe. */
  | 'network'
  /** No answer in time. Sending the same again is safe. */
  | 'timeout'
  /** The caller's signal ended it. */
  | 'aborted'
  /** An answer that this version does not understand. */
  | 'malformed-answer'
  /** An argument that no node would accept. */
  | 'bad-argument'
  /** The node is not of the chain that the client was made for. */
  | 'wrong-chain';

export class ClientError extends CodedError<ClientErrorCode> {
  /** What the node said, when it said something. */
  get problem(): Problem | undefined {
    return this.data.problem as Problem | undefined;
  }

  /** How long the other side asks to wait before the same is sent again. */
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
