/** What names an entry of the account directory: an index, or an account. */
import { usageError } from '@slipstream/command-line';
import { parseAccountKey } from '@slipstream/types';

const INDEX = /^(0|[1-9][0-9]{0,9})$/;

/** `option`: its name in the error. Throws CommandLineError. */
export function directoryReference(given: string, option: string, invocation: string): number | string {
  if (INDEX.test(given) && Number(given) < 2 ** 32) return Number(given);
  const account = parseAccountKey(given);
  if (account.ok) return given.toLowerCase();
  throw usageError(invocation, [`${option} must be a number below 2^32 or an account, not "${given}"`]);
}
