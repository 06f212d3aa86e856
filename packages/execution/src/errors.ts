import { CodedError } from '@slipstream/primitives';

/**
 * - state-corrupt: a value in the state that this package never writes.
 * - supply-overflow: the genesis balances exceed 2^64 - 1 in total.
 */
type ExecutionErrorCode = 'state-corrupt' | 'supply-overflow';

export class ExecutionError extends CodedError<ExecutionErrorCode> {}
