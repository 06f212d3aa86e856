import { CodedError } from '@slipstream/primitives';

type SimulatorErrorCode = 'check-failed' | 'event-threw';

/** Ends a run. The message has seed and virtual time. */
export class SimulationFailure extends CodedError<SimulatorErrorCode> {}

/** A checker found a violated rule. */
export class CheckFailure extends SimulationFailure {}
