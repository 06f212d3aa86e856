/** A wrong command line: all its faults at once, and where to find its help. */
import { NodeError } from '../errors.ts';

/** `invocation` is the form of the call: `slipstream init`. */
export function usageError(invocation: string, faults: readonly string[]): NodeError {
  return new NodeError('usage', `${faults.join('\n')}\nSee: ${invocation} --help`, { faults });
}
