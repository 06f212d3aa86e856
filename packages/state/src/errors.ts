/** Errors of the state store. All of them are faults of the disk, of the caller or of this code; no peer can cause one. */
import { CodedError } from '@slipstream/primitives';

type StateErrorCode =
  /** A file's bytes disagree with their checksums. Data: file, offset, what. */
  | 'corrupt'
  /** A file that committed state needs is not there. Data: file. */
  | 'missing'
  /** The directory belongs to another chain, format or set of parameters. Data: file. */
  | 'foreign'
  /** A block that was never prepared, or was dropped or committed since. Data: block. */
  | 'unknown-block'
  /** prepare of a block that is prepared already. Data: block. */
  | 'already-prepared'
  /** append, commit or revert out of order. Data: block. */
  | 'out-of-order'
  /** A key or value of a length that is not allowed, or a key twice in a batch (data: index); or more than 1 GiB in all. */
  | 'bad-batch'
  /** A view whose block is no longer the last committed one nor prepared. Data: block. */
  | 'stale-view'
  | 'bad-parameters'
  /** The machine cannot hold this format. */
  | 'unsupported'
  /** An earlier write, sync or removal failed: what is on disk is uncertain. Close and open again. */
  | 'broken'
  | 'closed';

export class StateError extends CodedError<StateErrorCode> {}
