/**
 * What is hashed for keys, values, buckets and nodes (state-proofs.md, "Hashes"). H(a, b) is SHA-256 of 64 bytes.
 *
 *   K      = H(key, zeros, length)             the key's place in the tree: its bits, highest first
 *   W      = value, zeros, length              long values: SHA-256 of them, and the entry has H(key, zeros, length + 128) for K
 *   entry  = H(K, W)
 *   bucket = H(H(M, T), C)                     M: root over the entries; T: hash of the first 8 bytes of each K; C: how many keys
 *   node   = H(left, right)                    nothing: zeros
 */
import { sha256 } from '@slipstream/primitives';

export const WORD_BYTES = 32;
export const KEY_BYTES_MAX = 63;
export const VALUE_BYTES_MAX = 65_536;
/** Longer values are hashed. */
export const SHORT_VALUE_BYTES_MAX = 31;
export const LONG_VALUE = 0x80;
/** A subtree with at most this many keys is a bucket. */
export const BUCKET_KEYS_MAX = 8;
export const PREFIX_BYTES = 8;
/** Bits of a prefix. At this depth a bucket holds any number of keys. */
export const DEPTH_MAX = 8 * PREFIX_BYTES;

export const ZERO_WORD: Uint8Array = new Uint8Array(WORD_BYTES);

export function hashPair(a: Uint8Array, b: Uint8Array): Uint8Array {
  const pair = new Uint8Array(2 * WORD_BYTES);
  pair.set(a);
  pair.set(b, WORD_BYTES);
  return sha256(pair);
}

/** The key must have at most KEY_BYTES_MAX bytes. */
export function placeOf(key: Uint8Array): Uint8Array {
  return keyHash(key, key.length);
}

export function entryOf(key: Uint8Array, value: Uint8Array): Uint8Array {
  const isLong = value.length > SHORT_VALUE_BYTES_MAX;
  return hashPair(
    keyHash(key, isLong ? key.length + LONG_VALUE : key.length),
    isLong ? sha256(value) : shortWord(value),
  );
}

function keyHash(key: Uint8Array, last: number): Uint8Array {
  const block = new Uint8Array(2 * WORD_BYTES);
  block.set(key);
  block[block.length - 1] = last;
  return sha256(block);
}

function shortWord(value: Uint8Array): Uint8Array {
  const word = new Uint8Array(WORD_BYTES);
  word.set(value);
  word[WORD_BYTES - 1] = value.length;
  return word;
}

export function bucketHash(entriesRoot: Uint8Array, table: Uint8Array, count: number): Uint8Array {
  return hashPair(hashPair(entriesRoot, table), countWord(count));
}

const COUNT_BYTES = 4;

function countWord(count: number): Uint8Array {
  const word = new Uint8Array(WORD_BYTES);
  new DataView(word.buffer).setUint32(0, count, true);
  return word;
}

/** No node has such a child, so no bucket passes for a node. */
export function isCountWord(word: Uint8Array): boolean {
  return word.subarray(COUNT_BYTES).every((byte) => byte === 0);
}

/** T: the prefixes of the first eight keys, zeros behind. */
export function tableHash(prefixes: readonly Uint8Array[]): Uint8Array {
  const table = new Uint8Array(BUCKET_KEYS_MAX * PREFIX_BYTES);
  for (const [i, prefix] of prefixes.slice(0, BUCKET_KEYS_MAX).entries()) table.set(prefix, i * PREFIX_BYTES);
  return sha256(table);
}

/** Levels between the entries of a bucket and their root. */
export function levelsOver(count: number): number {
  return count <= 1 ? 0 : 32 - Math.clz32(count - 1);
}

export function bitAt(place: Uint8Array, depth: number): number {
  return ((place[depth >> 3] as number) >> (7 - (depth & 7))) & 1;
}
