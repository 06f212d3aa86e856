/**
 * SHA-256 of many pairs of 32-byte words: several at a time with the processor's vector instructions, seven times as fast as one by one.
 * Where the addon has no binary for a machine, or errs there, the portable form takes its place (docs/decisions/0065).
 */
import { createRequire } from 'node:module';
import { bytesEqual } from './bytes.ts';
import { checkPairLengths, type HashPairs, PAIR_BYTES, hashPairs as portable } from './hash-pairs-portable.ts';

interface Addon {
  hashInto(pairs: Uint8Array, hashes: Uint8Array): void;
}

/** The addon takes 16 pairs at a time, then 8, 4 and 1, each in code of its own. */
const SAMPLE_PAIRS = 16 + 8 + 4 + 1;

const require = createRequire(import.meta.url);

export const hashPairs = chooseHashPairs(() => require('@chainsafe/hashtree') as Addon);

/** `load` throws without a binary. */
export function chooseHashPairs(load: () => Addon): HashPairs {
  const addon = loaded(load);
  return addon !== undefined && isRight(addon.hashInto) ? nativeForm(addon.hashInto) : portable;
}

function loaded(load: () => Addon): Addon | undefined {
  try {
    return load();
  } catch {
    return undefined;
  }
}

function nativeForm(hashInto: Addon['hashInto']): HashPairs {
  return (pairs, hashes) => {
    checkPairLengths(pairs, hashes);
    if (pairs.length > 0) hashInto(pairs, hashes);
  };
}

function isRight(hashInto: Addon['hashInto']): boolean {
  const pairs = Uint8Array.from({ length: SAMPLE_PAIRS * PAIR_BYTES }, (_, i) => i ^ (i >> 8));
  const [found, expected] = [new Uint8Array(pairs.length / 2), new Uint8Array(pairs.length / 2)];
  hashInto(pairs, found);
  portable(pairs, expected);
  return bytesEqual(found, expected);
}
