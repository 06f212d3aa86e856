/** A command line that is wrong: all its faults at once, and where the right form is shown. */
import { NodeError } from '../errors.ts';

export function usageError(command: string, faults: readonly string[]): NodeError {
  const help = command === '' ? 'slipstream --help' : `slipstream ${command} --help`;
  return new NodeError('usage', `${faults.join('\n')}\nSee: ${help}`, { faults });
}
