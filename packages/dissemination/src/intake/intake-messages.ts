import type { PoolRefusal } from '../pool/mempool.ts';

/** `congested`: the chain does not keep up. */
export type FullReason = PoolRefusal | 'congested';

export const VERIFICATION_LIMIT_MESSAGE =
  'too many signatures or credentials from this address were false: check the key that signs, or the session, and wait';

export const WASTED_WORK_MESSAGE =
  'nearly all that came from this address was known, expired or refused: send less, or wait';

export const FULL_MESSAGES: Readonly<Record<FullReason, string>> = {
  congested: 'the chain does not keep up with what was accepted: try again later',
  'pool-full': 'the node has as many transactions waiting as it takes: try again later',
  'sender-limit': 'this sender has as many transactions waiting as one may: wait for some to be final',
  'peer-limit': 'this peer has brought as many waiting transactions as one may',
};
