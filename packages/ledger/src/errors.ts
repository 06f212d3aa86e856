/** Errors of the ledger. All are faults of the disk or of the caller; nothing a peer or a client sends causes one. */
import { CodedError } from '@slipstream/primitives';

export type LedgerErrorCode =
  /** The store holds the ledger of another chain. Data: expected, found. */
  | 'foreign'
  /** Written by a newer release. Data: expected, found. */
  | 'newer-version'
  /** Written by an older release, in another layout. Data: expected, found. */
  | 'older-version'
  /** A value disagrees with its checksum, or with what names it. Data: table, key. */
  | 'corrupt'
  /** commit of a block that is not on top of the last committed one. Data: height, tip. */
  | 'out-of-order'
  /** commit of a block that was never put. Data: blockId. */
  | 'unknown-block';

export class LedgerError extends CodedError<LedgerErrorCode> {}
