/**
 * Builds a segment in one growing buffer. It begins with the previous checksum, so that one hash over the buffer seals the segment.
 *
 *   [ previous checksum | header | rows ... | checksum ]
 *     8 words             16       ...        8
 */
import { sha256 } from '@slipstream/primitives';
import { StateError } from '../errors.ts';
import { copyIntoWords, WORD_BYTES, wordsFor } from '../typed-arrays/word-arrays.ts';
import {
  AT_BATCH_HIGH,
  AT_BATCH_LOW,
  AT_BYTES,
  AT_CRC,
  AT_PARENT,
  AT_PUTS,
  AT_RECORDS,
  AT_RESERVED,
  CHECKSUM_WORDS,
  HEAD_OF_ONE_MORE,
  HEAD_WORDS,
  headerCrc,
  headOfPut,
  mayShareRow,
  NULLIFY,
  RECORDS_OF_ROW_MAX,
  recordsOfHead,
  SEGMENT_BYTES_MAX,
  SEGMENT_HEADER_WORDS,
  SEGMENT_MAGIC,
} from './format.ts';

const FIRST_ROW = CHECKSUM_WORDS + SEGMENT_HEADER_WORDS;
const NONE = -1;

export interface SegmentWriter {
  words: Int32Array;
  /** Where the next body or row goes. */
  at: number;
  /** Where the head of the last row is, or -1 when no record may join it. */
  row: number;
  records: number;
  puts: number;
}

/** Words of a segment and the checksum before it. Throws StateError `bad-batch` above SEGMENT_BYTES_MAX: it could not be read again. */
export function segmentWords(rowWords: number): number {
  const words = FIRST_ROW + rowWords + CHECKSUM_WORDS;
  checkSize(words);
  return words;
}

function checkSize(words: number): void {
  if (words * WORD_BYTES > SEGMENT_BYTES_MAX) {
    throw new StateError('bad-batch', `a batch of more than ${SEGMENT_BYTES_MAX} bytes is not allowed`, {});
  }
}

/** The content of `words` does not matter. */
export function createSegmentWriter(words: Int32Array): SegmentWriter {
  return { words, at: FIRST_ROW, row: NONE, records: 0, puts: 0 };
}

/** Ensures capacity for `count` words and the checksum. */
function reserve(writer: SegmentWriter, count: number): void {
  const needed = writer.at + count + CHECKSUM_WORDS;
  if (needed <= writer.words.length) return;
  checkSize(needed);
  const grown = new Int32Array(Math.max(needed, writer.words.length * 2));
  grown.set(writer.words);
  writer.words = grown;
}

/** Bytes of a Put in a file, without the head that a row shares: it counts as dead from the start. */
export function putBytes(keyBytes: number, valueBytes: number): number {
  return (wordsFor(keyBytes) + wordsFor(valueBytes)) * WORD_BYTES;
}

/**
 * Extends the last row or begins one for up to `count` records, whose bodies the caller writes at `writer.at`. Returns how many it takes.
 * The buffer must have capacity.
 */
export function openRow(writer: SegmentWriter, head: number, count: number): number {
  const { words, row } = writer;
  const last = row === NONE ? 0 : (words[row] as number);
  const capacity = mayShareRow(last, head) ? RECORDS_OF_ROW_MAX - recordsOfHead(last) : 0;
  const records = Math.min(count, capacity > 0 ? capacity : RECORDS_OF_ROW_MAX);
  writer.records += records;
  if (capacity > 0) {
    words[row] = last + records * HEAD_OF_ONE_MORE;
    return records;
  }
  words[writer.at] = head + (records - 1) * HEAD_OF_ONE_MORE;
  writer.row = writer.at;
  writer.at += HEAD_WORDS;
  return records;
}

/** Where a Put is in memory: `words[at]` is the first word of the key, and the value may be elsewhere. */
export interface StoredPut {
  words: Int32Array;
  at: number;
  keyBytes: number;
  valueBytes: number;
  valueWords: Int32Array;
  valueAt: number;
}

/** Returns where the key begins. */
export function moveRecord(writer: SegmentWriter, put: StoredPut): number {
  const keyWords = wordsFor(put.keyBytes);
  const valueWords = wordsFor(put.valueBytes);
  reserve(writer, HEAD_WORDS + keyWords + valueWords);
  openRow(writer, headOfPut(put.keyBytes, put.valueBytes), 1);
  const { words, at } = writer;
  let to = at;
  for (let i = 0; i < keyWords; i++) words[to++] = put.words[put.at + i] as number;
  for (let i = 0; i < valueWords; i++) words[to++] = put.valueWords[put.valueAt + i] as number;
  writer.puts += 1;
  writer.at = to;
  return at;
}

const VARINT_BYTES_MAX = 5;

export function nullifyWordsMax(ordinals: number): number {
  return ordinals === 0 ? 0 : HEAD_WORDS + 1 + wordsFor(ordinals * VARINT_BYTES_MAX);
}

/** `ordinals` ascend. Appends nothing for none. */
export function appendNullify(writer: SegmentWriter, ordinals: Int32Array): void {
  if (ordinals.length === 0) return;
  reserve(writer, nullifyWordsMax(ordinals.length));
  const { words, at } = writer;
  const begin = at + HEAD_WORDS + 1;
  const length = encodeOrdinals(ordinals, new Uint8Array(words.buffer, begin * WORD_BYTES));
  words[at] = NULLIFY | (length << 2);
  words[at + HEAD_WORDS] = ordinals.length;
  writer.at = begin + wordsFor(length);
  writer.row = NONE;
  writer.records += 1;
}

function encodeOrdinals(ordinals: Int32Array, list: Uint8Array): number {
  let length = 0;
  let previous = -1;
  for (let i = 0; i < ordinals.length; i++) {
    let difference = (ordinals[i] as number) - previous;
    previous = ordinals[i] as number;
    for (; difference > 127; difference >>>= 7) list[length++] = (difference & 127) | 128;
    list[length++] = difference;
  }
  list.fill(0, length, wordsFor(length) * WORD_BYTES);
  return length;
}

/** Header fields that do not follow from the contents. */
export interface SegmentIdentity {
  readonly batch: number;
  /** Checksums before the segment in its file, and of the previous batch. */
  readonly previous: Uint8Array;
  readonly parent: Uint8Array;
}

export interface SealedSegment {
  readonly bytes: Uint8Array;
  readonly checksum: Uint8Array;
}

export function sealSegment(writer: SegmentWriter, { batch, previous, parent }: SegmentIdentity): SealedSegment {
  const { words, at } = writer;
  const header = CHECKSUM_WORDS;
  const segmentBytes = (at - header + CHECKSUM_WORDS) * WORD_BYTES;
  copyIntoWords(words, 0, previous);
  words[header] = SEGMENT_MAGIC;
  words[header + AT_BYTES] = segmentBytes;
  words[header + AT_BATCH_LOW] = batch | 0;
  words[header + AT_BATCH_HIGH] = Math.floor(batch / 2 ** 32);
  words[header + AT_RECORDS] = writer.records;
  words[header + AT_PUTS] = writer.puts;
  copyIntoWords(words, header + AT_PARENT, parent);
  words[header + AT_RESERVED] = 0;
  words[header + AT_CRC] = headerCrc(words, header);
  const checksum = sha256(new Uint8Array(words.buffer, 0, at * WORD_BYTES)).slice();
  copyIntoWords(words, at, checksum);
  return { bytes: new Uint8Array(words.buffer, header * WORD_BYTES, segmentBytes), checksum };
}
