import { CodedError } from '@slipstream/primitives';

/**
 * - `state-incomplete`: the attempt lacks something.
 * - `state-refuted`: the files show that the peers that reported the snapshot lied.
 * - `swap-failed`: the next start repeats the swap.
 */
type SyncErrorCode = 'state-incomplete' | 'state-refuted' | 'swap-failed';

export class SyncError extends CodedError<SyncErrorCode> {}
