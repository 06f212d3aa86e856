import { CodedError } from '@slipstream/primitives';

/**
 * - `foreign`: a segment of another chain, store or log.
 * - `unknown-format`: another version of this program wrote it.
 */
type RecordsErrorCode = 'foreign' | 'unknown-format';

export class RecordsError extends CodedError<RecordsErrorCode> {}
