import { CodedError } from '@slipstream/primitives';

/**
 * - not-a-validator: a node that is not in the committee cannot build a payload.
 * - stopped: the call waited for something when the node stopped.
 */
type DisseminationErrorCode = 'not-a-validator' | 'stopped';

export class DisseminationError extends CodedError<DisseminationErrorCode> {}
