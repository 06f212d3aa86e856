import { CodedError } from '@slipstream/primitives';

type SimulatorErrorCode = 'check-failed' | 'event-threw';

/** Ends a run. The message has the seed and the virtual time, to reproduce the failure. */
export class SimulationFailure extends CodedError<SimulatorErrorCode> {}

/** A checker found a violated rule. */
export class CheckFailure extends SimulationFailure {}
