import { writeSha256 } from '#sha256';
import { assert } from './errors.ts';

export const PAIR_BYTES = 64;
const HASH_BYTES = 32;

/** Writes SHA-256 of each 64 bytes of `pairs` to its 32 bytes of `hashes`. */
export type HashPairs = (pairs: Uint8Array, hashes: Uint8Array) => void;

/** One hash after another. */
export const hashPairs: HashPairs = (pairs, hashes) => {
  checkPairLengths(pairs, hashes);
  for (let from = 0, to = 0; from < pairs.length; from += PAIR_BYTES, to += HASH_BYTES)
    writeSha256(pairs.subarray(from, from + PAIR_BYTES), hashes, to);
};

export function checkPairLengths(pairs: Uint8Array, hashes: Uint8Array): void {
  assert(pairs.length % PAIR_BYTES === 0, 'pairs have 64 bytes each');
  assert(hashes.length * 2 === pairs.length, 'each pair has 32 bytes for its hash');
}
