/** Memory for pairs of words that are hashed together. */
import { hashPairs } from '@slipstream/primitives';

/** 32-bit words of a hash and of a pair. */
export const HASH_WORDS = 8;
export const PAIR_WORDS = 2 * HASH_WORDS;
const BYTES_OF_WORD = 4;
const FIRST_PAIRS = 1024;

export interface PairBuffer {
  /** Of `reserve`. */
  input: Uint32Array;
  /** Hashes, from 0 on; until the next call. */
  output: Uint32Array;
  /** Makes room for that many pairs. What `input` held is lost. */
  reserve(pairs: number): void;
  /** Hashes the first pairs of `input`. */
  hash(pairs: number): void;
}

export function createPairBuffer(): PairBuffer {
  const buffer: PairBuffer = {
    input: new Uint32Array(FIRST_PAIRS * PAIR_WORDS),
    output: new Uint32Array(FIRST_PAIRS * HASH_WORDS),
    reserve(pairs) {
      if (buffer.input.length >= pairs * PAIR_WORDS) return;
      buffer.input = new Uint32Array(2 * pairs * PAIR_WORDS);
      buffer.output = new Uint32Array(2 * pairs * HASH_WORDS);
    },
    hash: (pairs) => hashWords(buffer.input, buffer.output, pairs),
  };
  return buffer;
}

/** Hashes the first pairs of `from` to the beginning of `to`. Both are whole buffers. */
export function hashWords(from: Uint32Array, to: Uint32Array, pairs: number): void {
  const size = pairs * HASH_WORDS * BYTES_OF_WORD;
  hashPairs(new Uint8Array(from.buffer, 0, 2 * size), new Uint8Array(to.buffer, 0, size));
}

/** Between the order of bytes and numbers that sort like bytes. */
export function swapBytes(word: number): number {
  return ((word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24)) >>> 0;
}
