/**
 * Sums of public keys passed in full: another chain's committee, or its root key. Honest ones are few and repeat; decoding is slow, so sums
 * are cached. The fee of a transaction covers the decoding of keys that are not certified.
 */
import { BLS_PUBLIC_KEY_BYTES } from '@slipstream/types';
import { type BlsPublicKey, decodePublicKey, sumPublicKeys } from './binding.ts';

/** Signer sets of a few trusted chains, and their root keys. */
const SUMS_MAX = 256;

interface KeySums {
  /** Undefined: empty, or an invalid key. */
  sum(publicKeys: readonly Uint8Array[]): BlsPublicKey | undefined;
}

export function createKeySums(): KeySums {
  /** Least recently used first. */
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
