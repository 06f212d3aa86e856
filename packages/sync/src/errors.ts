import { CodedError } from '@slipstream/primitives';

/**
 * - `state-incomplete`: an attempt to take over the state did not get what it needs.
 * - `state-refuted`: it got all, and that shows that the peers that reported the snapshot lied.
 * - `swap-failed`: the state that was fetched could not be put in place. The next start repeats that.
 */
export type SyncErrorCode = 'state-incomplete' | 'state-refuted' | 'swap-failed';

export class SyncError extends CodedError<SyncErrorCode> {}
