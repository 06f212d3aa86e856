import { CodedError } from '@slipstream/primitives';

type StateTreeErrorCode =
  | 'bad-changes' // a key or value of a length that cannot be, or a key twice
  | 'known-block'
  | 'unknown-block' // never applied, or dropped
  | 'not-next' // the block to commit is no child of the committed one
  | 'too-many-blocks'
  | 'damaged'; // memory disagrees with itself; the tree has to be rebuilt

export class StateTreeError extends CodedError<StateTreeErrorCode> {}
