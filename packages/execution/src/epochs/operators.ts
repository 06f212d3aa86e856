/** Operators of the newest record's members, so that a stranger is refused after one read. */
import { assert } from '@slipstream/primitives';
import type { AccountKey } from '@slipstream/types';
import type { Entries } from '../overlay.ts';
import { operatorKey } from './keys.ts';

/** Little-endian, of at most 1,024. */
const COUNT_BYTES = 2;

export function encodeOperated(validators: number): Uint8Array | undefined {
  if (validators === 0) return undefined;
  return new Uint8Array([validators & 0xff, validators >> 8]);
}

export function isOperator(entries: Pick<Entries, 'get'>, account: AccountKey): boolean {
  return entries.get(operatorKey(account)) !== undefined;
}

/** `by`: 1 for a validator that joins, -1 for one that goes. */
export function countOperated(entries: Entries, account: AccountKey, by: 1 | -1): void {
  const key = operatorKey(account);
  const value = entries.get(key) ?? new Uint8Array(COUNT_BYTES);
  const validators = (value[0] as number) + ((value[1] as number) << 8) + by;
  assert(validators >= 0, 'only a validator that joined goes');
  entries.set(key, encodeOperated(validators));
}
