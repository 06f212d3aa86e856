/**
 * HalfSipHash-1-3: a keyed 32-bit hash over words, for hash tables whose keys an attacker chooses: without the secret no bucket can be
 * aimed at. The hash proves no equality.
 *
 * Source: Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012; the 32-bit variant of its reference code, with one round per
 * word and three at the end (as hash tables commonly use SipHash-1-3).
 */

/** Secret. */
export const HASH_KEY_BYTES = 8;

/** Inlined by hand: the state stays in registers. */
export function halfSipHash(words: Int32Array, length: number, key0: number, key1: number): number {
  let v0 = key0;
  let v1 = key1;
  let v2 = 0x6c796765 ^ key0;
  let v3 = 0x74656462 ^ key1;
  // The words, their length in bytes as the standard's last word, three closing rounds.
  const rounds = length + 4;
  for (let i = 0; i < rounds; i++) {
    const word = i < length ? (words[i] as number) : i === length ? length << 26 : 0;
    if (i === length + 1) v2 ^= 0xff;
    v3 ^= word;
    v0 = (v0 + v1) | 0;
    v1 = (v1 << 5) | (v1 >>> 27);
    v1 ^= v0;
    v0 = (v0 << 16) | (v0 >>> 16);
    v2 = (v2 + v3) | 0;
    v3 = (v3 << 8) | (v3 >>> 24);
    v3 ^= v2;
    v0 = (v0 + v3) | 0;
    v3 = (v3 << 7) | (v3 >>> 25);
    v3 ^= v0;
    v2 = (v2 + v1) | 0;
    v1 = (v1 << 13) | (v1 >>> 19);
    v1 ^= v2;
    v2 = (v2 << 16) | (v2 >>> 16);
    v0 ^= word;
  }
  return (v1 ^ v3) >>> 0;
}
