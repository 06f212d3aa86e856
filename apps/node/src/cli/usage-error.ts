/** A command line that is wrong: all its faults at once, and where the right form is shown. */
import { NodeError } from '../errors.ts';

/** `invocation` is how the command is called: `slipstream init`. */
export function usageError(invocation: string, faults: readonly string[]): NodeError {
  return new NodeError('usage', `${faults.join('\n')}\nSee: ${invocation} --help`, { faults });
}
