/** Faults of the disk or the caller, never of a peer or a client. */
import { CodedError } from '@slipstream/primitives';

type LedgerErrorCode =
  /** The store holds the ledger of another chain. Data: expected, found. */
  | 'foreign'
  /** Of a newer release. Data: expected, found. */
  | 'newer-version'
  /** Of an older release's layout. Data: expected, found. */
  | 'older-version'
  /** A value does not match its checksum or its key. Data: table, key. */
  | 'corrupt'
  /** The block does not follow the last committed one. Data: height, tip. */
  | 'out-of-order'
  /** The block was never put. Data: blockId. */
  | 'unknown-block';

export class LedgerError extends CodedError<LedgerErrorCode> {}
