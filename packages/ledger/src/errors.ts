/** Errors of the ledger: faults of the disk or of the caller. No input of a peer or a client causes one. */
import { CodedError } from '@slipstream/primitives';

type LedgerErrorCode =
  /** The store holds the ledger of another chain. Data: expected, found. */
  | 'foreign'
  /** Written by a newer release. Data: expected, found. */
  | 'newer-version'
  /** Written by an older release, in another layout. Data: expected, found. */
  | 'older-version'
  /** A value does not match its checksum or its key. Data: table, key. */
  | 'corrupt'
  /** The committed block does not follow the last committed one. Data: height, tip. */
  | 'out-of-order'
  /** The committed block was never put. Data: blockId. */
  | 'unknown-block';

export class LedgerError extends CodedError<LedgerErrorCode> {}
