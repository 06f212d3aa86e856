import { CodedError } from '@slipstream/primitives';

/**
 * - `state-incomplete`: the attempt did not get all it needs.
 * - `state-refuted`: it got all, and the files show that the peers that reported the snapshot lied.
 * - `swap-failed`: the fetched state could not be swapped in. The next start repeats the swap.
 */
type SyncErrorCode = 'state-incomplete' | 'state-refuted' | 'swap-failed';

export class SyncError extends CodedError<SyncErrorCode> {}
