/** Errors of the state store: caused by the disk, the caller or this code, never by a peer. */
import { CodedError } from '@slipstream/primitives';

type StateErrorCode =
  /** Bytes of a file disagree with their checksum. Data: file, offset, what. */
  | 'corrupt'
  /** A file that committed state needs does not exist. Data: file. */
  | 'missing'
  /** The directory belongs to another chain, format or set of parameters. Data: file. */
  | 'foreign'
  /** The block was never prepared, or is dropped or committed. Data: block. */
  | 'unknown-block'
  /** Data: block. */
  | 'already-prepared'
  /** append, commit or revert out of order. Data: block. */
  | 'out-of-order'
  /** A forbidden length, a repeated key (data: index), or a segment above 1 GiB. */
  | 'bad-batch'
  /** The block is neither prepared nor the tip. Data: block. */
  | 'stale-view'
  | 'bad-parameters'
  /** The machine is big-endian. */
  | 'unsupported'
  /** A write, sync or removal failed: the disk's content is uncertain until the store is opened again. */
  | 'broken'
  | 'closed';

export class StateError extends CodedError<StateErrorCode> {}
