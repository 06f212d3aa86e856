/** Parsers for the JSON forms of actions. All throw RangeError with a reason for the submitter. */
import { fromHex } from '@slipstream/primitives';
import { type AccountKey, parseAccountKey } from '../account.ts';

export const AMOUNT_MAX = 2n ** 64n - 1n;

/** Decimal, 0 to 2^64 - 1. */
export function parseAmount(text: string): bigint {
  if (!/^(0|[1-9][0-9]{0,19})$/.test(text)) throw new RangeError(`"${text.slice(0, 24)}" is not a decimal amount`);
  const amount = BigInt(text);
  if (amount > AMOUNT_MAX) throw new RangeError(`${text} is more than 2^64 - 1`);
  return amount;
}

export function requireAccount(text: string): AccountKey {
  const parsed = parseAccountKey(text);
  if (!parsed.ok) throw new RangeError(parsed.error);
  return parsed.value;
}

export function parseBytes(text: string): Uint8Array {
  if (!/^0x([0-9a-fA-F]{2})*$/.test(text))
    throw new RangeError('bytes are 0x and an even number of hexadecimal digits');
  return fromHex(text);
}
