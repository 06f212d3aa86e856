/** Rows from changes: K, mark and entry of each key, three hashes in batches. */
import { sha256 } from '@slipstream/primitives';
import type { ChangeColumns } from './changes.ts';
import { LONG_VALUE, SHORT_VALUE_BYTES_MAX, WORD_BYTES } from './forms.ts';
import { HASH_WORDS, PAIR_WORDS, type PairBuffer, swapBytes } from './pair-buffer.ts';
import { ENTRY, MARK, ROW_WORDS } from './rows.ts';

const PAIR_BYTES = 2 * WORD_BYTES;

interface RowHasher {
  /**
   * Writes the rows of changes [from, to), whose bytes begin at `offset`.
   * @returns where the bytes of the next change begin
   */
  write(
    changes: ChangeColumns,
    from: number,
    to: number,
    offset: number,
    rows: Uint32Array,
    deletes: Uint8Array,
  ): number;
}

/** `secret`: 32 bytes. */
export function createRowHasher(buffer: PairBuffer, secret: Uint8Array): RowHasher {
  const secretWords = new Uint32Array(new Uint8Array(secret).buffer);
  /** Of long values: K of the entry. */
  const longs: number[] = [];

  function hashKeys({ bytes, keyBytes, valueBytes }: ChangeColumns, from: number, to: number, offset: number): void {
    longs.length = 0;
    const pairs = new Uint8Array(buffer.input.buffer);
    pairs.fill(0, 0, 2 * (to - from) * PAIR_BYTES);
    for (let i = from, at = offset, pair = 0; i < to; i++, pair += PAIR_BYTES) {
      const length = keyBytes[i] as number;
      for (let j = 0; j < length; j++) pairs[pair + j] = bytes[at + j] as number;
      pairs[pair + PAIR_BYTES - 1] = length;
      if ((valueBytes[i] as number) > SHORT_VALUE_BYTES_MAX) {
        const long = (to - from + longs.length) * PAIR_BYTES;
        pairs.copyWithin(long, pair, pair + PAIR_BYTES);
        pairs[long + PAIR_BYTES - 1] = length + LONG_VALUE;
        longs.push(i);
      }
      at += length + Math.max(0, valueBytes[i] as number);
    }
    buffer.hash(to - from + longs.length);
  }

  function hashMarks(from: number, to: number, rows: Uint32Array): void {
    const { input, output } = buffer;
    for (let i = from; i < to; i++) {
      const [k, row, pair] = [(i - from) * HASH_WORDS, i * ROW_WORDS, (i - from) * PAIR_WORDS];
      rows[row] = swapBytes(output[k] as number);
      rows[row + 1] = swapBytes(output[k + 1] as number);
      for (let j = 0; j < HASH_WORDS; j++) {
        input[pair + j] = output[k + j] as number;
        input[pair + HASH_WORDS + j] = secretWords[j] as number;
      }
    }
    buffer.hash(to - from);
    for (let i = from; i < to; i++) rows[i * ROW_WORDS + MARK] = output[(i - from + 1) * HASH_WORDS - 1] as number;
  }

  /** Over the pairs of marks, whose first words are K. */
  function hashEntries(
    changes: ChangeColumns,
    from: number,
    to: number,
    offset: number,
    longKeys: Uint32Array,
  ): number {
    const { input } = buffer;
    const pairs = new Uint8Array(input.buffer);
    let [at, long] = [offset, 0];
    for (let i = from; i < to; i++) {
      const length = changes.valueBytes[i] as number;
      const value = at + (changes.keyBytes[i] as number);
      const pair = (i - from) * PAIR_WORDS;
      at = value + Math.max(0, length);
      if (length > SHORT_VALUE_BYTES_MAX) {
        for (let j = 0; j < HASH_WORDS; j++) input[pair + j] = longKeys[long * HASH_WORDS + j] as number;
        pairs.set(sha256(changes.bytes.subarray(value, at)), (pair + HASH_WORDS) * 4);
        long += 1;
        continue;
      }
      for (let j = 0; j < HASH_WORDS; j++) input[pair + HASH_WORDS + j] = 0;
      const word = (pair + HASH_WORDS) * 4;
      for (let j = 0; j < length; j++) pairs[word + j] = changes.bytes[value + j] as number;
      pairs[word + WORD_BYTES - 1] = Math.max(0, length);
    }
    buffer.hash(to - from);
    return at;
  }

  return {
    write(changes, from, to, offset, rows, deletes) {
      const count = to - from;
      buffer.reserve(2 * count);
      hashKeys(changes, from, to, offset);
      const longKeys = buffer.output.slice(count * HASH_WORDS, (count + longs.length) * HASH_WORDS);
      hashMarks(from, to, rows);
      const next = hashEntries(changes, from, to, offset, longKeys);
      for (let i = from; i < to; i++) {
        deletes[i] = (changes.valueBytes[i] as number) < 0 ? 1 : 0;
        const [entry, row] = [(i - from) * HASH_WORDS, i * ROW_WORDS + ENTRY];
        for (let j = 0; j < HASH_WORDS; j++) rows[row + j] = buffer.output[entry + j] as number;
      }
      return next;
    },
  };
}
