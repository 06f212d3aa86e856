/**
 * Segments of the newest batches, to explain why two nodes' checksums differ.
 *
 *   own segment, another node's segment --> both checked against their checksums --> the first key that differs
 *
 * A segment is served with the 32 bytes before it (format.ts), so that it can be checked without its file.
 */
import { bytesEqual, compareBytes, sha256, toHex } from '@slipstream/primitives';
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
} from './format.ts';
import type { LogFiles } from './log-files.ts';
import { endOfRow } from './log-scan.ts';
import type { Overlay } from './overlay.ts';
import type { Chain } from './prepare.ts';
import { bytesAt, wordsFor, wordsOf } from './words.ts';
import type { Write } from './write.ts';

/** Where a committed segment stands. */
interface Place {
  readonly file: number;
  readonly offset: number;
  readonly bytes: number;
}

export interface Segments {
  committed(overlay: Overlay): void;
  ofPrepared(overlay: Overlay): Uint8Array;
  /** Undefined when the block is not one of the newest. */
  ofCommitted(block: string): Promise<Uint8Array | undefined>;
}

/** A file is replaced at the earliest history + 1 batches after its last one, so the newest `history` segments stay in place. */
export function createSegments(files: LogFiles, { parameters: { history } }: Chain): Segments {
  const places = new Map<string, Place>();

  async function read({ file, offset, bytes }: Place): Promise<Uint8Array> {
    return (await files.get(file)).read(offset - CHECKSUM_BYTES, CHECKSUM_BYTES + bytes);
  }

  return {
    committed({ block, logs, slot, offset, bytes }) {
      places.set(block, { file: logs.file[slot] as number, offset, bytes: bytes.length });
      if (places.size > history) places.delete(places.keys().next().value as string);
    },
    // From memory: the previous segment may not be on the disk yet.
    ofPrepared: ({ words, bytes }) => new Uint8Array(words.buffer, 0, CHECKSUM_BYTES + bytes.length).slice(),
    async ofCommitted(block) {
      const place = places.get(block);
      return place && (await read(place));
    },
  };
}

export interface SegmentContents {
  readonly checksum: Uint8Array;
  /** Puts and deletes in their order, moved records included. */
  readonly writes: readonly Write[];
}

/** Undefined when the bytes are not a segment with a matching checksum. The bytes are untrusted. */
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
  /** `none`: the key is not in that segment; undefined: it is deleted there. */
  readonly own: Uint8Array | undefined | 'none';
  readonly other: Uint8Array | undefined | 'none';
}

/** The lowest key on which two segments differ; undefined when there is none. */
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
