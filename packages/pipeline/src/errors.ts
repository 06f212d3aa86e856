/** Errors of the pipeline: the data on this machine is inconsistent. No peer can cause one. */
import { CodedError } from '@slipstream/primitives';

type PipelineErrorCode =
  /** State store and ledger cannot reach one height. Data: ledgerHeight, stateBlock. */
  | 'irreconcilable'
  /** A final block does not follow the last. Data: height, orderedHeight. */
  | 'order-gap'
  /** Another execution gave another digest. Data: blockId. */
  | 'not-deterministic'
  /** Data: none. */
  | 'stopped';

export class PipelineError extends CodedError<PipelineErrorCode> {}
