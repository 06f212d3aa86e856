/**
 * Limits the effect of a flood: frames are dropped, and the node continues.
 *
 * Frames of peers cause work of verifier and executor, whose queues are bounded. If a full queue ended the node, any peer could end it; so
 * what the queue does not take is dropped and counted.
 */
import type { Telemetry } from '@slipstream/ports';
import { CodedError } from '@slipstream/primitives';

/** Handler of a rejected promise: counts `queue-full` of any package as `what`; any other error fails the node. */
export function failUnlessFull(
  { telemetry, fail }: { readonly telemetry: Pick<Telemetry, 'count'>; readonly fail: (error: unknown) => void },
  what: 'frame' | 'evidence' | 'peer-block',
): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof CodedError && error.code === 'queue-full')) return fail(error);
    telemetry.count('node_overload_dropped_total', 1, { what });
  };
}
