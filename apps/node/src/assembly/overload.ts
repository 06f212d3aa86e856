/** A flood only drops frames: if a full queue of verifier or executor ended the node, any peer could end it. */
import type { Telemetry } from '@slipstream/ports';
import { CodedError } from '@slipstream/primitives';

/** Counts `queue-full` of any package as `what`; other errors fail the node. */
export function failUnlessFull(
  { telemetry, fail }: { readonly telemetry: Pick<Telemetry, 'count'>; readonly fail: (error: unknown) => void },
  what: 'frame' | 'evidence' | 'peer-block',
): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof CodedError && error.code === 'queue-full')) return fail(error);
    telemetry.count('node_overload_dropped_total', 1, { what });
  };
}
