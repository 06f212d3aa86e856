/** State keys of a genesis's generated accounts in key order, packed: a chain may begin with ten million. */
import { compareBytes } from '@slipstream/primitives';
import type { AccountKey, Genesis } from '@slipstream/types';
import { accountStateKey } from './state-keys.ts';

/** By index of a generated account. */
type AccountOf = (index: number) => AccountKey;

const KEY_BYTES = 34;
/** What scheme and letter leave of a key; equal in all generated ones. */
const DIFFERS_FROM = 2;
const PREFIX_BYTES = 6;

export interface PackedKeys {
  readonly count: number;
  /** Key number i in key order; a view. */
  at(i: number): Uint8Array;
}

/** Derives each account once. About 52 bytes a key while sorting, 38 later. */
export function packGeneratedKeys({ count }: Genesis['generated'], accountOf: AccountOf): PackedKeys {
  const packed = new Uint8Array(count * KEY_BYTES);
  // A number decides nearly every comparison: 48 bits are exact in a double.
  const prefixes = new Float64Array(count);
  const order = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    const { bytes } = accountStateKey(accountOf(i));
    packed.set(bytes, i * KEY_BYTES);
    prefixes[i] = prefixOf(bytes);
    order[i] = i;
  }
  const keyOf = (index: number) => packed.subarray(index * KEY_BYTES, (index + 1) * KEY_BYTES);
  order.sort((a, b) => (prefixes[a] as number) - (prefixes[b] as number) || compareBytes(keyOf(a), keyOf(b)));
  return { count, at: (i) => keyOf(order[i] as number) };
}

function prefixOf(key: Uint8Array): number {
  let prefix = 0;
  for (let i = 0; i < PREFIX_BYTES; i++) prefix = prefix * 256 + (key[DIFFERS_FROM + i] as number);
  return prefix;
}
