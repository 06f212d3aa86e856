/** Encodes a packed batch as the rows of a segment. */
import { DELETES, type PackedBatch } from '../batch.ts';
import { StateError } from '../errors.ts';
import { type HashKey, hashWords } from '../key-table/key-hash.ts';
import { HEAD_WORDS, headOfDelete, headOfPut, RECORDS_OF_ROW_MAX } from '../log/format.ts';
import { openRow, type SegmentWriter } from '../log/segment-writer.ts';
import { DELETED, type Interactions } from '../overlay/overlay.ts';
import { KEY_BYTES_MAX, VALUE_BYTES_MAX } from '../store.ts';
import { inRanges } from '../typed-arrays/ranges.ts';
import { copyIntoWords, WORD_BYTES, wordsFor, wordsOf } from '../typed-arrays/word-arrays.ts';
import { hashKeys, runLength, writeRows } from './encode-run.ts';

interface BatchSize {
  /** Upper bound of the words of all rows. */
  readonly rowWords: number;
  /** Bytes of the Puts in a file. */
  readonly putsBytes: number;
}

/** Throws StateError `bad-batch` for a forbidden length, or when the lengths do not add up. */
export function measureBatch({ bytes, keyBytes, valueBytes }: PackedBatch): BatchSize {
  const sum: Sum = { words: 0, putWords: 0, bytes: 0 };
  if (valueBytes.length !== keyBytes.length) throw badWrite(keyBytes.length);
  inRanges(0, keyBytes.length, (from, to) => addRange(keyBytes, valueBytes, sum, from, to));
  if (sum.bytes !== bytes.length) throw badWrite(keyBytes.length);
  return { rowWords: sum.words, putsBytes: sum.putWords * WORD_BYTES };
}

interface Sum {
  words: number;
  putWords: number;
  bytes: number;
}

function addRange(keyBytes: Uint8Array, valueBytes: Int32Array, sum: Sum, from: number, to: number): void {
  for (let i = from; i < to; ) {
    const key = keyBytes[i] as number;
    const value = valueBytes[i] as number;
    if (!isAllowed(key, value)) throw badWrite(i);
    let end = i + 1;
    while (end < to && keyBytes[end] === key && valueBytes[end] === value) end += 1;
    const count = end - i;
    const isPut = value !== DELETES;
    const words = wordsFor(key) + (isPut ? wordsFor(value) : 0);
    sum.words += count * words + (1 + Math.ceil(count / RECORDS_OF_ROW_MAX)) * HEAD_WORDS;
    sum.bytes += count * (isPut ? key + value : key);
    if (isPut) sum.putWords += count * words;
    i = end;
  }
}

/** Appends a measured batch to a writer with capacity. Sets keyAt, head, hash and ordinal (from 0). */
export function encodeBatch(
  writer: SegmentWriter,
  batch: PackedBatch,
  hashKey: HashKey,
  interactions: Interactions,
): void {
  const { bytes, keyBytes } = batch;
  const words = wordsOf(bytes.subarray(0, bytes.length - (bytes.length % WORD_BYTES)));
  const source: Source = { ...batch, words, from: 0 };
  inRanges(0, keyBytes.length, (from, to) => {
    encodeRange(writer, source, hashKey, interactions, from, to);
  });
}

interface Source extends PackedBatch {
  /** Whole words of `bytes`. */
  readonly words: Int32Array;
  from: number;
}

function encodeRange(
  writer: SegmentWriter,
  source: Source,
  hashKey: HashKey,
  interactions: Interactions,
  first: number,
  end: number,
): void {
  const { keyBytes, valueBytes } = source;
  for (let i = first; i < end; ) {
    const count = source.from % WORD_BYTES === 0 ? runLength(keyBytes, valueBytes, i, end) : 0;
    if (count > 0) encodeRun(writer, source, hashKey, interactions, i, i + count);
    else encodeOne(writer, source, hashKey, interactions, i);
    i += Math.max(1, count);
  }
}

/** Writes of equal lengths in whole words. */
function encodeRun(
  writer: SegmentWriter,
  source: Source,
  hashKey: HashKey,
  { keyAt, head, hash, ordinal }: Interactions,
  first: number,
  end: number,
): void {
  const { from } = source;
  const key = source.keyBytes[first] as number;
  const value = source.valueBytes[first] as number;
  const count = end - first;
  const length = value === DELETES ? key : key + value;
  const run = { source: source.words, from: from / WORD_BYTES, body: length / WORD_BYTES, count };
  writeRows(writer, run, headOf(key, value), keyAt, first);
  hashKeys(hashKey, run, key, hash, first);
  head.fill(headOf(key, value), first, end);
  if (value === DELETES) ordinal.fill(DELETED, first, end);
  else for (let i = first, put = writer.puts; i < end; i++, put++) ordinal[i] = put;
  source.from = from + count * length;
  if (value !== DELETES) writer.puts += count;
}

/** A write that begins or ends inside a word. */
function encodeOne(
  writer: SegmentWriter,
  source: Source,
  hashKey: HashKey,
  { keyAt, head, hash, ordinal }: Interactions,
  i: number,
): void {
  const { bytes, from } = source;
  const key = source.keyBytes[i] as number;
  const value = source.valueBytes[i] as number;
  const isPut = value !== DELETES;
  const length = isPut ? key + value : key;
  head[i] = headOf(key, value);
  openRow(writer, head[i] as number, 1);
  const { words, at: begin } = writer;
  const keyEnd = copyIntoWords(words, begin, bytes, from, from + key);
  writer.at = isPut ? copyIntoWords(words, keyEnd, bytes, from + key, from + length) : keyEnd;
  source.from = from + length;
  keyAt[i] = begin;
  hash[i] = hashWords(hashKey, words, begin, key);
  ordinal[i] = isPut ? writer.puts : DELETED;
  if (isPut) writer.puts += 1;
}

function headOf(key: number, value: number): number {
  return value === DELETES ? headOfDelete(key) : headOfPut(key, value);
}

function isAllowed(keyBytes: number, valueBytes: number): boolean {
  if (keyBytes < 1 || keyBytes > KEY_BYTES_MAX) return false;
  return valueBytes === DELETES || (valueBytes >= 0 && valueBytes <= VALUE_BYTES_MAX);
}

function badWrite(index: number): StateError {
  return new StateError('bad-batch', `write ${index} has a key or value of a length that is not allowed`, { index });
}
