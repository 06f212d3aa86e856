/**
 * Finds why two nodes' checksums differ.
 *
 *   own segment, another node's segment --> both checked against their checksums --> the first key that differs
 */
import { bytesEqual, compareBytes, sha256, toHex } from '@slipstream/primitives';
import type { Write } from '../batch.ts';
import {
  bodyWords,
  CHECKSUM_BYTES,
  CHECKSUM_WORDS,
  decodeSegmentHeader,
  HEAD_WORDS,
  keyBytesOfHead,
  kindOf,
  NULLIFY,
  PUT,
  SEGMENT_HEADER_WORDS,
  valueBytesOfHead,
} from '../log/format.ts';
import { endOfRow } from '../log/log-scan.ts';
import { bytesAt, wordsFor, wordsOf } from '../typed-arrays/word-arrays.ts';

export interface SegmentContents {
  readonly checksum: Uint8Array;
  /** Puts and Deletes in order, moved records included. */
  readonly writes: readonly Write[];
}

/** Reads untrusted bytes. Undefined when they are no segment with a matching checksum. */
export function readSegment(bytes: Uint8Array): SegmentContents | undefined {
  const header = decodeSegmentHeader(bytes.subarray(CHECKSUM_BYTES));
  if (header === undefined || header.bytes !== bytes.length - CHECKSUM_BYTES) return undefined;
  const checksum = bytes.slice(-CHECKSUM_BYTES);
  if (!bytesEqual(sha256(bytes.subarray(0, -CHECKSUM_BYTES)), checksum)) return undefined;
  const words = wordsOf(bytes.slice());
  const to = words.length - CHECKSUM_WORDS;
  const writes: Write[] = [];
  for (let at = CHECKSUM_WORDS + SEGMENT_HEADER_WORDS; at < to; ) {
    const end = endOfRow(words, at, to);
    if (end < 0) return undefined;
    if (kindOf(words[at] as number) !== NULLIFY) writes.push(...writesOfRow(words, at, end));
    at = end;
  }
  return { checksum, writes };
}

function writesOfRow(words: Int32Array, at: number, end: number): Write[] {
  const head = words[at] as number;
  const keyBytes = keyBytesOfHead(head);
  const writes: Write[] = [];
  for (let keyAt = at + HEAD_WORDS; keyAt < end; keyAt += bodyWords(head)) {
    const valueAt = keyAt + wordsFor(keyBytes);
    const value = kindOf(head) === PUT ? bytesAt(words, valueAt, valueBytesOfHead(head)) : undefined;
    writes.push({ key: bytesAt(words, keyAt, keyBytes), value });
  }
  return writes;
}

export interface SegmentDifference {
  readonly key: Uint8Array;
  /** `none`: not in that segment; undefined: deleted there. */
  readonly own: Uint8Array | undefined | 'none';
  readonly other: Uint8Array | undefined | 'none';
}

/** The lowest key on which the segments differ; undefined when there is none. */
export function firstDifference(own: SegmentContents, other: SegmentContents): SegmentDifference | undefined {
  const [a, b] = [own, other].map(({ writes }) => new Map(writes.map((write) => [toHex(write.key), write]))) as [
    Map<string, Write>,
    Map<string, Write>,
  ];
  let first: SegmentDifference | undefined;
  for (const { key } of [...own.writes, ...other.writes]) {
    if (first !== undefined && compareBytes(key, first.key) >= 0) continue;
    const [left, right] = [a.get(toHex(key)), b.get(toHex(key))];
    const [ownValue, otherValue] = [left ? left.value : 'none', right ? right.value : 'none'] as const;
    if (!sameValue(ownValue, otherValue)) first = { key, own: ownValue, other: otherValue };
  }
  return first;
}

function sameValue(a: Uint8Array | undefined | 'none', b: Uint8Array | undefined | 'none'): boolean {
  return a instanceof Uint8Array && b instanceof Uint8Array ? bytesEqual(a, b) : a === b;
}
