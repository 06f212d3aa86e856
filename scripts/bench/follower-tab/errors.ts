import { CodedError } from '@slipstream/primitives';

/**
 * - `false-snapshot`: its entries are not the certified state, or have no form.
 * - `wrong-block`: it is no child of the newest executed one.
 * - `wrong-chunk`: its bytes are not those that the block names.
 * - `unsupported`: a follower does not execute it; the message says what.
 * - `differs`: a quorum certified another result. Data: height, parts.
 */
type FollowerErrorCode = 'false-snapshot' | 'wrong-block' | 'wrong-chunk' | 'unsupported' | 'differs';

export class FollowerError extends CodedError<FollowerErrorCode> {}
