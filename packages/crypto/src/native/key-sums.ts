/**
 * Sums of public keys that are named in full, not by an index: those of another chain's committee, or its root key.
 *
 * Whoever asks has checked that somebody trusted vouches for them, so they are few and repeat; decoding and validating one costs
 * about 90 us.
 */
import { BLS_PUBLIC_KEY_BYTES } from '@slipstream/types';
import { type BlsPublicKey, decodePublicKey, sumPublicKeys } from './binding.ts';

/** Sets of keys kept: signers of a few trusted chains, and their root keys. */
const SUMS_MAX = 256;

export interface KeySums {
  /** Undefined when there are none, or one is not a valid key. */
  sum(publicKeys: readonly Uint8Array[]): BlsPublicKey | undefined;
}

export function createKeySums(): KeySums {
  /** Oldest use first. */
  const sums = new Map<string, BlsPublicKey>();

  function sum(publicKeys: readonly Uint8Array[]): BlsPublicKey | undefined {
    const name = publicKeys.map((key) => String.fromCharCode(...key)).join('');
    const known = sums.get(name);
    if (known !== undefined) {
      sums.delete(name);
      sums.set(name, known);
      return known;
    }
    const total = sumOf(publicKeys);
    if (total === undefined) return undefined;
    if (sums.size >= SUMS_MAX) sums.delete(sums.keys().next().value as string);
    sums.set(name, total);
    return total;
  }

  return { sum };
}

function sumOf(publicKeys: readonly Uint8Array[]): BlsPublicKey | undefined {
  if (publicKeys.length === 0) return undefined;
  const keys: BlsPublicKey[] = [];
  for (const bytes of publicKeys) {
    const key = bytes.length === BLS_PUBLIC_KEY_BYTES ? decodePublicKey(bytes) : undefined;
    if (key === undefined) return undefined;
    keys.push(key);
  }
  return keys.length === 1 ? keys[0] : sumPublicKeys(keys);
}
