import { CodedError } from '@slipstream/primitives';

/**
 * - not-a-validator: only a member builds payloads.
 * - stopped: the node stopped during the call.
 * - directory-unknown: the account directory here does not reach back to the knownAt of a batch, so its block cannot be executed.
 */
type DisseminationErrorCode = 'not-a-validator' | 'stopped' | 'directory-unknown';

export class DisseminationError extends CodedError<DisseminationErrorCode> {}
