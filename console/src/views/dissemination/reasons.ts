/** Texts and remedies for refused and dropped transactions. Unlisted reasons are shown unchanged. */

type Reasons = Readonly<Record<string, readonly [title: string, means: string]>>;

export const REFUSED: Reasons = {
  malformed: ['malformed', 'The bytes are not a valid transaction. The client that sends them has a defect.'],
  'wrong-genesis': ['another chain', 'Made for another chain: the client has an old genesis hash.'],
  'bad-signature': ['bad signature', 'Not signed by its sender. A peer that forwards such transactions is blocked.'],
  expired: [
    'expired before it came',
    "It expired before it arrived: the client's clock is behind, or delivery was slow.",
  ],
  'expiry-too-far': ['expires too far ahead', "At most a minute is allowed: the client's clock is ahead."],
  'max-fee-too-low': [
    'fee limit too low',
    'Prices rose above what its sender allows: send it again with a higher limit.',
  ],
  'fee-not-covered': ['fee not covered', 'The balance of its sender is less than its maxFee.'],
  'over-limit': ['larger than a block', 'It exceeds the limits of a block: split it.'],
  'sender-limit': [
    'sender limit',
    'One sender has reached the limit of pending transactions. Other senders are not affected.',
  ],
  'peer-limit': ['peer limit', 'One peer has reached the limit of pending transactions.'],
  'pool-full': [
    'mempool full',
    'Load exceeds what the chain executes: clients are asked to retry. Reduce the load, or raise the limits.',
  ],
  unchecked: ['not checked', "The verifier failed: check this node's log."],
};

export const DROPPED: Reasons = {
  expired: [
    'expired here',
    'No block included it before it expired: load exceeds what the chain executes, or the chain is stalled.',
  ],
  'max-fee-too-low': ['price increase', 'The price rose above what its sender allows while it waited.'],
  'fee-not-covered': ['insufficient balance', 'Its sender spent what its fee needed while it waited.'],
  'session-spend-limit': ['session limit reached', 'Others of its session used up the limit while it waited.'],
  'session-revoked': ['session revoked', 'Its session was revoked while it waited.'],
  'session-expired': ['session expired', 'Its session expired while it waited.'],
  duplicate: ['in two chunks', 'Another chunk already brought it to the chain.'],
};

export function reasonOf(reasons: Reasons, reason: string): readonly [string, string] {
  return reasons[reason] ?? [reason, 'As the node names it.'];
}
