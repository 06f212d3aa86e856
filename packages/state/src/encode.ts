/** Encoding: a packed batch as the records of a segment, in one pass that checks, copies and hashes. */
import { DELETES, type PackedBatch } from './batch.ts';
import { StateError } from './errors.ts';
import { DELETE, PUT, RECORD_HEAD_WORDS } from './format.ts';
import { type HashKey, hashWords } from './key-hash.ts';
import { DELETED, type Interactions } from './overlay.ts';
import { putBytes, type SegmentWriter } from './segment-writer.ts';
import { KEY_BYTES_MAX, VALUE_BYTES_MAX } from './store.ts';
import { inStretches } from './stretches.ts';
import { copyIntoWords, WORD_BYTES, wordsFor, wordsOf } from './words.ts';

/** Words that the records take at most: a head, and a last word of key and value that may be begun. */
export function recordWordsMax({ bytes, keyBytes }: PackedBatch): number {
  return keyBytes.length * (RECORD_HEAD_WORDS + 2) + wordsFor(bytes.length);
}

/**
 * Appends the records to a writer that has room for recordWordsMax, and fills in keyAt, hash and ordinal (from 0) of the
 * interactions. Returns the bytes of the Puts. Throws StateError `bad-batch`.
 */
export function encodeBatch(
  writer: SegmentWriter,
  batch: PackedBatch,
  hashKey: HashKey,
  interactions: Interactions,
): number {
  const { bytes, keyBytes, valueBytes } = batch;
  const words = wordsOf(bytes.subarray(0, bytes.length - (bytes.length % WORD_BYTES)));
  const source: Source = { ...batch, words, from: 0, putsBytes: 0 };
  inStretches(0, keyBytes.length, (from, to) => encodeStretch(writer, source, hashKey, interactions, from, to));
  if (source.from !== bytes.length || valueBytes.length !== keyBytes.length) throw badWrite(keyBytes.length);
  writer.records = keyBytes.length;
  return source.putsBytes;
}

/** The batch, and how far it is encoded. */
interface Source extends PackedBatch {
  /** Of `bytes`, but for its last ones. */
  readonly words: Int32Array;
  from: number;
  putsBytes: number;
}

function encodeStretch(
  writer: SegmentWriter,
  source: Source,
  hashKey: HashKey,
  { keyAt, hash, ordinal }: Interactions,
  first: number,
  end: number,
): void {
  const { bytes, keyBytes, valueBytes } = source;
  const { words } = writer;
  let { at, puts } = writer;
  let { from, putsBytes } = source;
  for (let i = first; i < end; i++) {
    const key = keyBytes[i] as number;
    const value = valueBytes[i] as number;
    const length = value === DELETES ? key : key + value;
    if (!isAllowed(key, value) || from + length > bytes.length) throw badWrite(i);
    const isPut = value !== DELETES;
    words[at] = isPut ? PUT | (key << 2) | (value << 9) : DELETE | (key << 2);
    const begin = at + RECORD_HEAD_WORDS;
    if (((from | key | length) & (WORD_BYTES - 1)) === 0) {
      const to = begin + (length >>> 2);
      for (let word = begin, next = from >>> 2; word < to; word++, next++) words[word] = source.words[next] as number;
      at = to;
    } else {
      at = copyIntoWords(words, begin, bytes, from, from + key);
      if (isPut) at = copyIntoWords(words, at, bytes, from + key, from + length);
    }
    from += length;
    keyAt[i] = begin;
    hash[i] = hashWords(hashKey, words, begin, key);
    ordinal[i] = isPut ? puts : DELETED;
    if (!isPut) continue;
    puts += 1;
    putsBytes += putBytes(key, value);
  }
  writer.at = at;
  writer.puts = puts;
  source.from = from;
  source.putsBytes = putsBytes;
}

function isAllowed(keyBytes: number, valueBytes: number): boolean {
  if (keyBytes < 1 || keyBytes > KEY_BYTES_MAX) return false;
  return valueBytes === DELETES || (valueBytes >= 0 && valueBytes <= VALUE_BYTES_MAX);
}

function badWrite(index: number): StateError {
  return new StateError('bad-batch', `write ${index} has a key or value of a length that is not allowed`, { index });
}
