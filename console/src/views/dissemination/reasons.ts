/** Why transactions go no further, in words, and what helps. Reasons that are not here are shown as they are. */

type Reasons = Readonly<Record<string, readonly [title: string, means: string]>>;

export const REFUSED: Reasons = {
  malformed: ['no transaction', 'The bytes are none. A client that sends them is broken.'],
  'wrong-genesis': ['another chain', 'Made for another chain: the client has an old genesis hash.'],
  'bad-signature': ['bad signature', 'Not signed by its sender. A peer that forwards such ones is blocked.'],
  expired: ['expired before it came', "Its time was over: the client's clock is late, or it was held back on the way."],
  'expiry-too-far': ['expires too far ahead', "At most a minute is allowed: the client's clock is ahead."],
  'max-fee-too-low': [
    'fee limit too low',
    'Prices rose above what its sender allows: send it anew with a higher limit.',
  ],
  'fee-not-covered': ['fee not covered', 'Its sender does not own what it allows for the fee.'],
  'over-limit': ['larger than a block', 'It takes more than a whole block may: split it.'],
  'sender-limit': ['sender has too many', 'One sender has as many waiting as one may. Others are not held up by it.'],
  'peer-limit': ['peer brought too many', 'One peer brought as many waiting ones as one may.'],
  'pool-full': [
    'no room',
    'More comes than the chain takes: clients are told to try again. Lower the load, or add room.',
  ],
  unchecked: ['not checked', "The verifier failed: look at this node's log."],
};

export const DROPPED: Reasons = {
  expired: [
    'expired here',
    'It found no block in its time: more comes than the chain takes, or the chain stands still.',
  ],
  'max-fee-too-low': ['price rose', 'The price rose above what its sender allows while it waited.'],
  'fee-not-covered': ['sender ran out', 'Its sender spent what its fee needed while it waited.'],
  'session-spend-limit': ['session spent', 'Others of its session used up the limit while it waited.'],
  'session-revoked': ['session revoked', 'Its session was revoked while it waited.'],
  'session-expired': ['session expired', 'Its session expired while it waited.'],
  duplicate: ['twice in chunks', 'Another chunk had brought it to the chain already.'],
};

export function reasonOf(reasons: Reasons, reason: string): readonly [string, string] {
  return reasons[reason] ?? [reason, 'As the node names it.'];
}
