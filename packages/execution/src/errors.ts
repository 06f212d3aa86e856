import { CodedError } from '@slipstream/primitives';

/**
 * - state-corrupt: a value read from the state has a form that this package never writes.
 * - supply-overflow: the genesis hands out more than 2^64 - 1 in all.
 */
export type ExecutionErrorCode = 'state-corrupt' | 'supply-overflow';

export class ExecutionError extends CodedError<ExecutionErrorCode> {}
