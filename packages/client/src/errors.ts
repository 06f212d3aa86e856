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
  | 'wrong-chain'
  /** Used after close(), or closed meanwhile. A row that was sent may still run. */
  | 'closed'
  /** Too many transfers wait: try again when some have ended. */
  | 'queue-full'
  /** No broker takes the row (`reason`), and none has it. By the brokers' word it will not run. */
  | 'row-refused'
  /** A block has the row, without effect (`reason`). It may still run in another batch, until `expiryMs`. */
  | 'row-skipped'
  /** No node gave a proof that holds: of a light client `reasons` by URL, of a read with `proven` the `steps`. */
  | 'unproven'
  /** A light client saw two certified chains (`conflict`), and trusts neither. */
  | 'forked'
  /** The row did not run in time, or where it ran was not learned (`mayHaveRun`). It cannot run any more. */
  | 'row-expired';

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
  'unproven',
]);

export function problemError(problem: Problem): ClientError {
  return new ClientError(problem.code, problem.detail, { problem, status: problem.status });
}
