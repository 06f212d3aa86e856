/** What a client does with a row that a broker does not take, or gives back. */
import type { RowReason } from '@slipstream/distilled/stream';

type RefusalAction =
  | 'again' // the same row, later
  | 'elsewhere' // this broker will not take it for a while: leave it, if there is another
  | 'refused'; // every broker would say so

const ACTIONS: Readonly<Record<RowReason, RefusalAction>> = {
  'not-of-session': 'refused',
  'recipient-unknown': 'again', // it may be registered above the broker's knownAt
  'index-retired': 'refused',
  'sequence-used': 'refused',
  'sequence-in-flight': 'again', // of the session before
  'sequence-too-far': 'refused',
  'insufficient-balance': 'refused',
  'account-limit': 'again',
  'session-limit': 'again',
  'broker-limit': 'elsewhere',
  'fee-cap-too-low': 'refused',
  'expiry-too-early': 'refused',
  'straggler-needed': 'elsewhere',
  'false-straggler': 'refused',
  suspended: 'elsewhere',
  'share-missing': 'again',
  'share-false': 'elsewhere', // the shares are not: this broker cannot add
  'batch-refused': 'again',
  'batch-expired': 'again',
  'batch-skipped': 'again',
  'not-ready': 'elsewhere',
  'expiry-too-far': 'elsewhere', // its clock or this one is wrong
};

const RETRY_MS_MIN = 100;
const RETRY_MS_MAX = 5_000;
/** Of the session before: asked about this often, all rows that a session may have are fewer refusals than end a stream (Q10). */
const IN_FLIGHT_RETRY_MS = 2_000;

export function refusalAction(reason: RowReason): RefusalAction {
  return ACTIONS[reason];
}

/** A broker's wish within bounds: a false one must not hold a row until it expires. */
export function retryDelayMs(wishedMs: number, reason?: RowReason): number {
  const least = reason === 'sequence-in-flight' ? IN_FLIGHT_RETRY_MS : RETRY_MS_MIN;
  return Math.min(RETRY_MS_MAX, Math.max(least, wishedMs));
}
