/**
 * Reads entries of the state that are found out by reading others, all of one height.
 *
 *   attempt(known entries) --missing keys--> read all keys so far, and these --> attempt --> ... --> its value
 */
import { toHex } from '@slipstream/primitives';
import type { Height } from '@slipstream/types';

interface KnownEntry {
  readonly key: Uint8Array;
  readonly value: Uint8Array | undefined;
}

/** By hexadecimal key. */
export type KnownEntries = ReadonlyMap<string, KnownEntry>;

type Attempt<T> = { readonly value: T } | { readonly missing: readonly Uint8Array[] };

interface StateRead {
  readonly height: Height;
  /** Of the block at this height. */
  readonly epoch: number;
}

/** Values in the order of the keys, all of one height. */
export type ReadInEpoch = (
  keys: readonly Uint8Array[],
) => Promise<StateRead & { readonly values: readonly (Uint8Array | undefined)[] }>;

interface RoundLimits {
  readonly roundsMax: number;
  readonly keysMax: number;
}

/** Undefined: above the limits, or the attempts want other keys each time. */
export async function readInRounds<T>(
  read: ReadInEpoch,
  attempt: (known: KnownEntries, epoch: number) => Attempt<T> | Promise<Attempt<T>>,
  { roundsMax, keysMax }: RoundLimits,
): Promise<(StateRead & { readonly value: T }) | undefined> {
  const keys = new Map<string, Uint8Array>();
  for (let rounds = 0; rounds < roundsMax; rounds++) {
    const all = [...keys.values()];
    const { values, ...at } = await read(all);
    const known = new Map([...keys].map(([text, key], i) => [text, { key, value: values[i] }]));
    const attempted = await attempt(known, at.epoch);
    if ('value' in attempted) return { ...at, value: attempted.value };
    const before = keys.size;
    for (const key of attempted.missing) keys.set(toHex(key), key);
    if (keys.size === before || keys.size > keysMax) return undefined;
  }
  return undefined;
}
