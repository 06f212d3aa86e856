/**
 * Encoding a row: writes whose keys are of one length and whose values are, as accounts are.
 *
 * One loop for each thing that is done, and each step of it without a loop inside: what such a loop needs stays in the
 * processor's registers. 100,000 writes take 2.9 ms, where a loop that did all of it for one write after another took 6.6.
 */
import { type HashKey, hashEightWords, hashWords } from './key-hash.ts';
import { WORD_BYTES } from './words.ts';

const GROUP = 4;
const HASHED_AT_ONCE = 32;

/** Where the bodies of a row's records stand, and where they come from. */
export interface Row {
  readonly words: Int32Array;
  /** The head of the first record; from one to the next. */
  readonly at: number;
  readonly stride: number;
  readonly source: Int32Array;
  readonly from: number;
  readonly count: number;
}

/** Heads and bodies, a few columns of words at a time. */
export function writeRow({ words, at, stride, source, from, count }: Row, head: number): void {
  const body = stride - 1;
  writeHeads(words, at, stride, count, head);
  let column = 0;
  for (; column + GROUP <= body; column += GROUP) {
    copyFourColumns(words, at + 1 + column, stride, source, from + column, count);
  }
  for (; column < body; column++) copyColumn(words, at + 1 + column, stride, source, from + column, count);
}

function writeHeads(words: Int32Array, at: number, stride: number, count: number, head: number): void {
  for (let i = 0, to = at; i < count; i++, to += stride) words[to] = head;
}

function copyFourColumns(
  words: Int32Array,
  at: number,
  stride: number,
  source: Int32Array,
  from: number,
  count: number,
): void {
  for (let i = 0, to = at, next = from; i < count; i++, to += stride, next += stride - 1) {
    const first = source[next] as number;
    const second = source[next + 1] as number;
    const third = source[next + 2] as number;
    const fourth = source[next + 3] as number;
    words[to] = first;
    words[to + 1] = second;
    words[to + 2] = third;
    words[to + 3] = fourth;
  }
}

function copyColumn(
  words: Int32Array,
  at: number,
  stride: number,
  source: Int32Array,
  from: number,
  count: number,
): void {
  for (let i = 0, to = at, next = from; i < count; i++, to += stride, next += stride - 1) {
    words[to] = source[next] as number;
  }
}

/** Fills in hashes[first, first + count). */
export function hashRow(
  hashKey: HashKey,
  { source, from, stride, count }: Row,
  keyBytes: number,
  hashes: Int32Array,
  first: number,
): void {
  const end = first + count;
  if (keyBytes === HASHED_AT_ONCE) {
    for (let i = first, at = from; i < end; i++, at += stride - 1) hashes[i] = hashEightWords(hashKey, source, at);
    return;
  }
  for (let i = first, at = from; i < end; i++, at += stride - 1) hashes[i] = hashWords(hashKey, source, at, keyBytes);
}

/** How many of the writes [from, end) are like the first, which has whole words. */
export function rowLength(keyBytes: Uint8Array, valueBytes: Int32Array, from: number, end: number): number {
  const key = keyBytes[from] as number;
  const value = valueBytes[from] as number;
  if (((key | Math.max(0, value)) & (WORD_BYTES - 1)) !== 0) return 0;
  let to = from + 1;
  while (to < end && keyBytes[to] === key && valueBytes[to] === value) to += 1;
  return to - from;
}
