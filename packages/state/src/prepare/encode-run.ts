/**
 * Encodes runs of writes with equal kind and lengths. A packed run already has the layout of a row's bodies, so one copy moves it. One
 * loop per task, because a small loop keeps its variables in registers.
 */
import { type HashKey, hashEightWords, hashWords } from '../key-table/key-hash.ts';
import { openRow, type SegmentWriter } from '../log/segment-writer.ts';
import { WORD_BYTES } from '../typed-arrays/word-arrays.ts';

const UNROLLED_KEY_BYTES = 32;

/** Writes of equal kind and lengths in a packed batch. */
interface Run {
  readonly source: Int32Array;
  readonly from: number;
  /** Words per write. */
  readonly body: number;
  readonly count: number;
}

/** Appends rows, and sets keyAt[first, first + count). */
export function writeRows(
  writer: SegmentWriter,
  { source, from, body, count }: Run,
  head: number,
  keyAt: Int32Array,
  first: number,
): void {
  for (let done = 0; done < count; ) {
    const records = openRow(writer, head, count - done);
    const at = from + done * body;
    writer.words.set(source.subarray(at, at + records * body), writer.at);
    placeKeys(keyAt, first + done, records, writer.at, body);
    writer.at += records * body;
    done += records;
  }
}

function placeKeys(keyAt: Int32Array, first: number, records: number, begin: number, body: number): void {
  for (let i = first, at = begin; i < first + records; i++, at += body) keyAt[i] = at;
}

/** Sets hashes[first, first + count). */
export function hashKeys(
  hashKey: HashKey,
  { source, from, body, count }: Run,
  keyBytes: number,
  hashes: Int32Array,
  first: number,
): void {
  const end = first + count;
  if (keyBytes === UNROLLED_KEY_BYTES) {
    for (let i = first, at = from; i < end; i++, at += body) hashes[i] = hashEightWords(hashKey, source, at);
    return;
  }
  for (let i = first, at = from; i < end; i++, at += body) hashes[i] = hashWords(hashKey, source, at, keyBytes);
}

/** Number of the writes [from, end) with the first one's lengths; 0 when these are not whole words. */
export function runLength(keyBytes: Uint8Array, valueBytes: Int32Array, from: number, end: number): number {
  const key = keyBytes[from] as number;
  const value = valueBytes[from] as number;
  if (((key | Math.max(0, value)) & (WORD_BYTES - 1)) !== 0) return 0;
  let to = from + 1;
  while (to < end && keyBytes[to] === key && valueBytes[to] === value) to += 1;
  return to - from;
}
