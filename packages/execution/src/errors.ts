import { CodedError } from '@slipstream/primitives';

/**
 * - state-corrupt: a value in the state that this package never writes.
 * - supply-overflow: the genesis balances exceed 2^64 - 1 in total.
 * - application-differs: an application of genesis is missing, or has another artifact.
 * - application-missing: this node lacks an artifact that the record of an epoch names.
 * - application-genesis: an application's genesis function did not succeed.
 */
type ExecutionErrorCode =
  | 'state-corrupt'
  | 'supply-overflow'
  | 'application-differs'
  | 'application-missing'
  | 'application-genesis';

export class ExecutionError extends CodedError<ExecutionErrorCode> {}
