import { CodedError } from '@slipstream/primitives';

/** `usage`: the command line is wrong. */
class CommandLineError extends CodedError<'usage'> {}

/** All faults of a command line, and where its help is. `invocation` is the form of the call: `slipstream init`. */
export function usageError(invocation: string, faults: readonly string[]): CommandLineError {
  return new CommandLineError('usage', `${faults.join('\n')}\nSee: ${invocation} --help`, { faults });
}
