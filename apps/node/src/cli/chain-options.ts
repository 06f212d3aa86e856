/** Options whose values have a form of the chain. */
import { required, text } from '@slipstream/command-line';
import { type AccountKey, parseAccountKey, requireNodeAddress } from '@slipstream/types';

export const addressOption = (about: string) => formed('HOST:PORT', about, requireNodeAddress);

export function requiredAddressOption(about: string) {
  const option = required('HOST:PORT', about);
  return { ...option, parse: (given: string | undefined) => requireNodeAddress(option.parse(given)) };
}

export const accountOption = (about: string) => formed('ACCOUNT', about, requireAccountKey);

function requireAccountKey(given: string): AccountKey {
  const account = parseAccountKey(given);
  if (account.ok) return account.value;
  throw new RangeError(`is no account: ${account.error}`);
}

/** `require` throws RangeError with the expected form. */
function formed<T>(placeholder: string, about: string, require: (given: string) => T) {
  const parse = (given: string | undefined) => (given === undefined ? undefined : require(given));
  return { ...text(placeholder, about), parse };
}
