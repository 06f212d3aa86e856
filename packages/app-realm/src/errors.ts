import type { Interruption } from '@slipstream/app/program';
import { CodedError } from '@slipstream/primitives';

type RealmErrorCode =
  /** The bytes are no artifact: the kind, a length, or a manifest that is not canonical JSON. */
  | 'artifact-malformed'
  | 'artifact-too-large'
  /** A value of the manifest that JSON cannot carry, or not in one way only. */
  | 'json-unsupported'
  /** The script does not compile, or is none of `app-build`. */
  | 'script-malformed'
  /** The script's definitions, or the kit, threw. */
  | 'script-failed'
  /** The artifact's manifest is not what its script defines. */
  | 'manifest-differs'
  /** Made for a kit that this node does not have. */
  | 'kit-version-unknown'
  /** The ticks are used up. */
  | 'out-of-compute'
  /** No host is in use, or the script gave it what is neither bytes nor a number. */
  | 'host-misused'
  /** This thread has less than `STACK_MIB`. */
  | 'stack-too-small';

export class RealmError extends CodedError<RealmErrorCode> {}

/** The ticks of a call are used up. */
export class OutOfCompute extends RealmError implements Interruption {
  readonly interrupts = true;
}
