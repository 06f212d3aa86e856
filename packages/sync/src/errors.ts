import { CodedError } from '@slipstream/primitives';

/**
 * - `state-incomplete`: the attempt lacks something.
 * - `state-refuted`: the files show that the peers that reported the snapshot lied.
 * - `swap-failed`: the next start repeats the swap.
 * - `stopped`: the node stops meanwhile.
 */
type SyncErrorCode = 'state-incomplete' | 'state-refuted' | 'swap-failed' | 'stopped';

export class SyncError extends CodedError<SyncErrorCode> {}
