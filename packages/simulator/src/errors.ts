import { CodedError } from '@slipstream/primitives';

type SimulatorErrorCode = 'check-failed' | 'event-threw';

/** Ends a run. The message carries what it takes to see it again: the seed and the virtual time. */
export class SimulationFailure extends CodedError<SimulatorErrorCode> {}

/** A checker said that what must not happen has happened. */
export class CheckFailure extends SimulationFailure {}
