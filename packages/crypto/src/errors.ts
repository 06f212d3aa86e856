import { CodedError } from '@slipstream/primitives';

/**
 * - `invalid-secret-key`, `invalid-public-key`: no scheme accepts it; data has the index where there is one.
 * - `invalid-committee`: not 1 to 1,024 keys, other keys than those known of the epoch, or too many committees.
 * - `unknown-epoch`: a quorum of an epoch whose committee was not added, or was dropped.
 * - `invalid-request`: unknown signer, repeated signer, wrong length.
 * - `queue-full`: the lane is full; the request was not taken.
 * - `stopped`: the verifier stopped before it answered.
 * - `worker-failed`: a worker thread died or threw; the verifier answers no more requests.
 * - `no-secret-key`: signing requested from a verifier without the key.
 * - `keystore-malformed`, `keystore-unsupported`, `keystore-password`: see native/keystore.ts.
 */
type CryptoErrorCode =
  | 'invalid-secret-key'
  | 'invalid-public-key'
  | 'invalid-committee'
  | 'unknown-epoch'
  | 'invalid-request'
  | 'queue-full'
  | 'stopped'
  | 'worker-failed'
  | 'no-secret-key'
  | 'keystore-malformed'
  | 'keystore-unsupported'
  | 'keystore-password';

export class CryptoError extends CodedError<CryptoErrorCode> {}
