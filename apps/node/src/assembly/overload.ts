/**
 * What a flood may cost: the frame, never the node.
 *
 * Frames of peers lead to work of verifier and executor, whose queues are bounded. A peer that fills one of them is no fault of this
 * node, and ending it would let any peer end it; what the queue does not take is dropped and counted.
 */
import type { Telemetry } from '@slipstream/ports';
import { CodedError } from '@slipstream/primitives';

/** For a promise that rejects: `queue-full` of any package is counted as `what`, everything else fails the node. */
export function failUnlessFull(
  { telemetry, fail }: { readonly telemetry: Pick<Telemetry, 'count'>; readonly fail: (error: unknown) => void },
  what: 'frame' | 'evidence' | 'peer-block',
): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof CodedError && error.code === 'queue-full')) return fail(error);
    telemetry.count('node_overload_dropped_total', 1, { what });
  };
}
