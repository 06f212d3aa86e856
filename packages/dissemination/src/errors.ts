import { CodedError } from '@slipstream/primitives';

/**
 * - not-a-validator: only a member builds payloads.
 * - stopped: the node stopped during the call.
 */
type DisseminationErrorCode = 'not-a-validator' | 'stopped';

export class DisseminationError extends CodedError<DisseminationErrorCode> {}
