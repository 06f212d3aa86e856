/**
 * Records, keys and values are little-endian 32-bit words, in memory and on disk, so that the code handles four bytes per step. Keys and
 * values are padded with zeros.
 */
import { StateError } from '../errors.ts';

export const WORD_BYTES = 4;

export function wordsFor(bytes: number): number {
  return (bytes + 3) >>> 2;
}

/** Throws StateError `unsupported` on a big-endian machine. */
export function checkByteOrder(): void {
  const little = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;
  if (!little) throw new StateError('unsupported', 'the state store needs a little-endian machine');
}

/** Copies bytes[from, end) to words[at], padded with zeros. Returns where the next word goes. */
export function copyIntoWords(words: Int32Array, at: number, bytes: Uint8Array, from = 0, end = bytes.length): number {
  const whole = end - ((end - from) & 3);
  let to = at;
  for (let i = from; i < whole; i += 4) {
    const low = (bytes[i] as number) | ((bytes[i + 1] as number) << 8);
    words[to++] = low | ((bytes[i + 2] as number) << 16) | ((bytes[i + 3] as number) << 24);
  }
  if (whole < end) {
    let last = 0;
    for (let i = whole; i < end; i++) last |= (bytes[i] as number) << (8 * (i - whole));
    words[to++] = last;
  }
  return to;
}

/** Shares memory when aligned. The length must be a multiple of four. */
export function wordsOf(bytes: Uint8Array): Int32Array {
  const aligned = bytes.byteOffset % WORD_BYTES === 0 ? bytes : bytes.slice();
  return new Int32Array(aligned.buffer, aligned.byteOffset, aligned.length / WORD_BYTES);
}

/** A copy of `length` bytes from word `at` on. */
export function bytesAt(words: Int32Array, at: number, length: number): Uint8Array {
  return new Uint8Array(words.buffer, words.byteOffset + at * WORD_BYTES, length).slice();
}

/** Copies `length` bytes from word `at` on. */
export function copyOfWords(words: Int32Array, at: number, length: number, into: Uint8Array): void {
  for (let i = 0, from = at; i < length; from++) {
    let word = words[from] as number;
    for (const end = Math.min(length, i + WORD_BYTES); i < end; i++, word >>>= 8) into[i] = word;
  }
}

export function sameWords(a: Int32Array, aAt: number, b: Int32Array, bAt: number, count: number): boolean {
  for (let i = 0; i < count; i++) if (a[aAt + i] !== b[bAt + i]) return false;
  return true;
}
