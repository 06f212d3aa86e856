import { CodedError } from '@slipstream/primitives';

/**
 * - not-a-validator: a chunk was asked of a node that is not in the committee.
 * - stopped: the call waited for something when the node stopped.
 * - too-many-waits: more chunks are waited for than a node can ever need at once.
 */
export type DisseminationErrorCode = 'not-a-validator' | 'stopped' | 'too-many-waits';

export class DisseminationError extends CodedError<DisseminationErrorCode> {}
