/**
 * Keyed 32-bit hash, faster than HalfSipHash.
 *
 * It is no pseudorandom function. Differences that cancel under every hash key span at least four words. So an attacker without the hash
 * key can produce only a handful of colliding keys, which cost a few extra probes.
 */
export interface HashKey {
  readonly low: number;
  readonly high: number;
}

const M1 = 0x85ebca6b | 0;
const M2 = 0xc2b2ae35 | 0;

export const HASH_KEY_BYTES = 8;

export function readHashKey(bytes: Uint8Array): HashKey {
  const view = new DataView(bytes.buffer, bytes.byteOffset, HASH_KEY_BYTES);
  return { low: view.getInt32(0, true), high: view.getInt32(4, true) };
}

/** Signed 32-bit hash of the `keyBytes` bytes at word `at`. */
export function hashWords({ low, high }: HashKey, words: Int32Array, at: number, keyBytes: number): number {
  const end = at + ((keyBytes + 3) >>> 2);
  let a = low ^ keyBytes;
  let b = high;
  let i = at;
  for (; i + 1 < end; i += 2) {
    a = Math.imul(a ^ (words[i] as number), M1);
    b = Math.imul(b ^ (words[i + 1] as number), M2);
    a = (a + ((b << 13) | (b >>> 19))) | 0;
    b ^= (a << 17) | (a >>> 15);
  }
  if (i < end) {
    a = Math.imul(a ^ (words[i] as number), M1);
    b ^= (a << 17) | (a >>> 15);
  }
  return finish(a, b);
}

/** For 32-byte keys, unrolled. */
export function hashEightWords({ low, high }: HashKey, words: Int32Array, at: number): number {
  let a = Math.imul(low ^ 32 ^ (words[at] as number), M1);
  let b = Math.imul(high ^ (words[at + 1] as number), M2);
  a = (a + ((b << 13) | (b >>> 19))) | 0;
  b ^= (a << 17) | (a >>> 15);
  a = Math.imul(a ^ (words[at + 2] as number), M1);
  b = Math.imul(b ^ (words[at + 3] as number), M2);
  a = (a + ((b << 13) | (b >>> 19))) | 0;
  b ^= (a << 17) | (a >>> 15);
  a = Math.imul(a ^ (words[at + 4] as number), M1);
  b = Math.imul(b ^ (words[at + 5] as number), M2);
  a = (a + ((b << 13) | (b >>> 19))) | 0;
  b ^= (a << 17) | (a >>> 15);
  a = Math.imul(a ^ (words[at + 6] as number), M1);
  b = Math.imul(b ^ (words[at + 7] as number), M2);
  a = (a + ((b << 13) | (b >>> 19))) | 0;
  return finish(a, b ^ ((a << 17) | (a >>> 15)));
}

function finish(a: number, b: number): number {
  let h = a ^ ((b << 7) | (b >>> 25));
  h = Math.imul(h ^ (h >>> 16), M1);
  h = Math.imul(h ^ (h >>> 13) ^ b, M2);
  return h ^ (h >>> 16);
}
