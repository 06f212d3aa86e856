import type { KeyPair } from '@slipstream/client';
import { text, usageError } from '@slipstream/command-line';
import { type AccountKey, parseAccountKey } from '@slipstream/types';

export const anchorOption = text('ACCOUNT', "The identity. Default: the device's own account.");

/** Throws NodeError `usage` when `given` is no account. */
export function anchorOf(given: string | undefined, device: KeyPair, invocation: string): AccountKey {
  if (given === undefined) return device.account;
  const parsed = parseAccountKey(given);
  if (!parsed.ok) throw usageError(invocation, [`--anchor: ${parsed.error}`]);
  return parsed.value;
}
