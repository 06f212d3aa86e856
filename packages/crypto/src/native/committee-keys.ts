/** The committee's public keys, validated once and named by index. */
import { SIGNER_BITMAP_BYTES_MAX } from '@slipstream/types';
import { CryptoError } from '../errors.ts';
import { type BlsPublicKey, decodePublicKey, sumPublicKeys } from './binding.ts';

/** A view has up to four certificates, and signer sets repeat. */
const SUMS_MAX = 256;

export interface CommitteeKeys {
  readonly size: number;
  /** Below `size`. */
  key(signer: number): BlsPublicKey;
  /** Distinct, ascending. */
  sum(signers: readonly number[]): BlsPublicKey;
}

/** Throws CryptoError `invalid-public-key` with the first index. */
export function createCommitteeKeys(publicKeys: readonly Uint8Array[]): CommitteeKeys {
  const keys = publicKeys.map((bytes, index) => {
    const key = decodePublicKey(bytes);
    if (key === undefined) throw new CryptoError('invalid-public-key', `committee key ${index} is invalid`, { index });
    return key;
  });
  /** Least recently used first. */
  const sums = new Map<string, BlsPublicKey>();

  function sum(signers: readonly number[]): BlsPublicKey {
    if (signers.length === 1) return keys[signers[0] as number] as BlsPublicKey;
    const name = nameOf(signers);
    let total = sums.get(name);
    if (total === undefined) {
      total = sumPublicKeys(signers.map((signer) => keys[signer] as BlsPublicKey));
      if (sums.size >= SUMS_MAX) sums.delete(sums.keys().next().value as string);
    } else {
      sums.delete(name);
    }
    sums.set(name, total);
    return total;
  }

  return { size: keys.length, key: (signer) => keys[signer] as BlsPublicKey, sum };
}

const bitmap = new Uint8Array(SIGNER_BITMAP_BYTES_MAX);

function nameOf(signers: readonly number[]): string {
  bitmap.fill(0);
  for (const signer of signers) bitmap[signer >> 3] = (bitmap[signer >> 3] as number) | (1 << (signer & 7));
  return String.fromCharCode(...bitmap);
}
