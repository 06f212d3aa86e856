/** Why a broker takes no row, and why a stream ends. Numbers are never reused. */

export const ROW_REASONS = {
  'not-of-session': 1, // the login does not name its sender
  'recipient-unknown': 2,
  'index-retired': 3,
  'sequence-used': 4,
  'sequence-in-flight': 5, // another row of it, or the same, is under way here
  'sequence-too-far': 6,
  'insufficient-balance': 7, // with fees, and all that is in flight here
  'account-limit': 8, // too many of its sender are in flight
  'session-limit': 9, // too many of this stream are in flight
  'broker-limit': 10,
  'fee-cap-too-low': 11, // for a batch of now
  'expiry-too-early': 12, // for a batch of now
  'straggler-needed': 13, // shares of its sender were missing or false: it has to sign its rows alone
  'false-straggler': 14, // the signature of the row does not hold
  suspended: 15, // straggler signatures of its sender were false
  'share-missing': 16,
  'share-false': 17,
  'batch-refused': 18, // by the validator that packs it
  'batch-expired': 19, // no block ran it
  'batch-skipped': 20, // a block has it, without effect
  'not-ready': 21, // the broker is behind the chain, is no validator now, or stops
  'expiry-too-far': 22, // of the straggler signature: a block would skip the row
} as const;
export type RowReason = keyof typeof ROW_REASONS;

export const END_REASONS = {
  slow: 1, // messages were not read in time
  stopping: 2,
  'malformed-message': 3,
  'too-many-messages': 4,
  'login-late': 5,
  'login-false': 6, // the signature does not hold
  'login-limit': 7, // too many at this node: try again later
  'index-unknown': 8, // an index has no entry yet
  'index-retired': 9,
  'index-limit': 10, // more accounts than a session, or this node, may have
  'logged-in-again': 11, // all indices of this session are in newer ones
  internal: 12,
  'no-validator': 13, // this node reaches no validator of the epoch: its batches would not run
} as const;
export type EndReason = keyof typeof END_REASONS;

/** Of the WebSocket. */
export const END_CLOSE_CODES: Readonly<Record<EndReason, number>> = {
  slow: 4008,
  stopping: 1001,
  'malformed-message': 4400,
  'too-many-messages': 4429,
  'login-late': 4408,
  'login-false': 4401,
  'login-limit': 4503,
  'index-unknown': 4404,
  'index-retired': 4410,
  'index-limit': 4413,
  'logged-in-again': 4409,
  internal: 1011,
  'no-validator': 4421,
};
