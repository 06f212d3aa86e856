import { CodedError } from '@slipstream/primitives';

/**
 * - `foreign`: the segment belongs to another chain, another store, or another log.
 * - `unknown-format`: another version of this program wrote it.
 */
type RecordsErrorCode = 'foreign' | 'unknown-format';

export class RecordsError extends CodedError<RecordsErrorCode> {}
