/** A committee's public keys, validated once and named by index. */
import { SIGNER_BITMAP_BYTES_MAX } from '@slipstream/types';
import { CryptoError } from '../errors.ts';
import { type BlsPublicKey, decodePublicKey, sumPublicKeys } from './binding.ts';

/** A view has up to four certificates, and signer sets repeat. */
const SUMS_MAX = 256;

export interface CommitteeKeys {
  readonly size: number;
  /** 48 bytes each, as given. */
  readonly publicKeys: readonly Uint8Array[];
  /** Below `size`. Undefined: invalid. */
  key(signer: number): BlsPublicKey | undefined;
  /** Distinct, ascending. Undefined: one is invalid. */
  sum(signers: readonly number[]): BlsPublicKey | undefined;
  /** Decodes further keys before they are needed. False: none is left. */
  decodeAhead(count: number): boolean;
}

/** Decodes each key once, at its first use (67 us). */
export function createCommitteeKeys(publicKeys: readonly Uint8Array[]): CommitteeKeys {
  /** Null: invalid. */
  const keys: (BlsPublicKey | null | undefined)[] = publicKeys.map(() => undefined);
  let ahead = 0;
  /** Least recently used first. */
  const sums = new Map<string, BlsPublicKey>();

  function key(signer: number): BlsPublicKey | undefined {
    const decoded = keys[signer];
    if (decoded !== undefined) return decoded ?? undefined;
    const valid = decodePublicKey(publicKeys[signer] as Uint8Array);
    keys[signer] = valid ?? null;
    return valid;
  }

  function sum(signers: readonly number[]): BlsPublicKey | undefined {
    if (signers.length === 1) return key(signers[0] as number);
    const name = nameOf(signers);
    let total = sums.get(name);
    if (total === undefined) {
      const parts = signers.map(key);
      if (!areAllValid(parts)) return undefined;
      total = sumPublicKeys(parts);
      if (sums.size >= SUMS_MAX) sums.delete(sums.keys().next().value as string);
    } else {
      sums.delete(name);
    }
    sums.set(name, total);
    return total;
  }

  function decodeAhead(count: number): boolean {
    const end = Math.min(keys.length, ahead + count);
    while (ahead < end) key(ahead++);
    return ahead < keys.length;
  }

  return { size: keys.length, publicKeys, key, sum, decodeAhead };
}

function areAllValid(keys: (BlsPublicKey | undefined)[]): keys is BlsPublicKey[] {
  return keys.every((key) => key !== undefined);
}

/** Throws CryptoError `invalid-public-key` with the first index. */
export function checkPublicKeys(epoch: number, { publicKeys, key }: CommitteeKeys): void {
  const index = publicKeys.findIndex((_, at) => key(at) === undefined);
  if (index < 0) return;
  throw new CryptoError('invalid-public-key', `committee key ${index} of epoch ${epoch} is invalid`, { epoch, index });
}

const bitmap = new Uint8Array(SIGNER_BITMAP_BYTES_MAX);

function nameOf(signers: readonly number[]): string {
  bitmap.fill(0);
  for (const signer of signers) bitmap[signer >> 3] = (bitmap[signer >> 3] as number) | (1 << (signer & 7));
  return String.fromCharCode(...bitmap);
}
