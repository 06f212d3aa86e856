import { CodedError } from '@slipstream/primitives';

/**
 * - not-a-validator: a chunk was asked of a node that is not in the committee.
 * - stopped: the call waited for something when the node stopped.
 */
export type DisseminationErrorCode = 'not-a-validator' | 'stopped';

export class DisseminationError extends CodedError<DisseminationErrorCode> {}
