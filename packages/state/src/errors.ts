/** Errors of the state store. Their causes are the disk, the caller or this code; no peer can cause one. */
import { CodedError } from '@slipstream/primitives';

type StateErrorCode =
  /** A file's bytes disagree with their checksums. Data: file, offset, what. */
  | 'corrupt'
  /** A file that committed state needs does not exist. Data: file. */
  | 'missing'
  /** The directory belongs to another chain, format or set of parameters. Data: file. */
  | 'foreign'
  /** The block is not prepared: never, or dropped or committed since. Data: block. */
  | 'unknown-block'
  /** Data: block. */
  | 'already-prepared'
  /** append, commit or revert out of order. Data: block. */
  | 'out-of-order'
  /** A forbidden length or a repeated key (data: index), or a segment of more than 1 GiB. */
  | 'bad-batch'
  /** The view's block is neither prepared nor the last committed one. Data: block. */
  | 'stale-view'
  | 'bad-parameters'
  /** The machine is big-endian. */
  | 'unsupported'
  /** An earlier write, sync or removal failed, so the disk's content is uncertain. Close the store and open it again. */
  | 'broken'
  | 'closed';

export class StateError extends CodedError<StateErrorCode> {}
