/** Reads and checks a log file up to its last committed segment. */
import type { DiskFile } from '@slipstream/ports';
import { bytesEqual, sha256 } from '@slipstream/primitives';
import { WORD_BYTES, wordsFor, wordsOf } from '../typed-arrays/word-arrays.ts';
import {
  bodyWords,
  CHECKSUM_BYTES,
  CHECKSUM_WORDS,
  checkFileHeader,
  corrupt,
  DELETE,
  decodeSegmentHeader,
  FILE_HEADER_BYTES,
  type FileIdentity,
  HEAD_WORDS,
  keyBytesOfHead,
  kindOf,
  NULLIFY,
  PUT,
  recordsOfHead,
  SEGMENT_HEADER_WORDS,
  type SegmentHeader,
} from './format.ts';

/** A larger segment is read whole. */
const WINDOW_BYTES = 4_194_304;

export interface ScannedSegment extends SegmentHeader {
  readonly offset: number;
  /** Holds its rows in [from, to). Valid during the visit. */
  readonly words: Int32Array;
  readonly from: number;
  readonly to: number;
  readonly checksum: Uint8Array;
}

export interface ScanEnd {
  /** End of the last committed segment. */
  readonly end: number;
  readonly checksum: Uint8Array;
}

/** Visits batches identity.file, + history + 1, ... up to `last`. Throws StateError `corrupt` or `foreign` with the offset. */
export async function scanLog(
  file: DiskFile,
  identity: FileIdentity,
  last: number,
  visit: (segment: ScannedSegment) => void,
): Promise<ScanEnd> {
  const size = await file.size();
  checkFileHeader(file.path, await file.read(0, FILE_HEADER_BYTES), identity);
  let window = new Uint8Array();
  let windowAt = 0;
  let offset = FILE_HEADER_BYTES;
  let checksum: Uint8Array = new Uint8Array();
  for (let batch = identity.file; batch <= last; batch += identity.history + 1) {
    const header = await readHeader(file, offset, batch, size);
    const from = offset - CHECKSUM_BYTES;
    const bytes = header.bytes + CHECKSUM_BYTES;
    if (from < windowAt || from + bytes > windowAt + window.length) {
      windowAt = from;
      window = aligned(await file.read(from, Math.max(bytes, Math.min(WINDOW_BYTES, size - from))));
      if (window.length < bytes) throw corrupt(file.path, size, `the file ends inside batch ${batch}`);
    }
    const segment = openSegment(file.path, window.subarray(from - windowAt, from - windowAt + bytes), header, offset);
    visit(segment);
    checksum = segment.checksum;
    offset += header.bytes;
  }
  return { end: offset, checksum };

  async function readHeader(from: DiskFile, at: number, batch: number, end: number): Promise<SegmentHeader> {
    const headerBytes = SEGMENT_HEADER_WORDS * WORD_BYTES;
    if (at + headerBytes > end) throw corrupt(from.path, end, `the file ends before batch ${batch}`);
    const inWindow = at >= windowAt && at + headerBytes <= windowAt + window.length;
    const bytes = inWindow ? window.subarray(at - windowAt) : await from.read(at, headerBytes);
    const header = decodeSegmentHeader(bytes);
    if (header === undefined) throw corrupt(from.path, at, "a segment's header disagrees with its checksum");
    if (header.batch !== batch) throw corrupt(from.path, at, `batch ${header.batch} stands where ${batch} belongs`);
    if (at + header.bytes > end) throw corrupt(from.path, end, `the file ends inside batch ${batch}`);
    return header;
  }
}

function aligned(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const isAligned = bytes.byteOffset % WORD_BYTES === 0 && bytes.buffer instanceof ArrayBuffer;
  return isAligned ? (bytes as Uint8Array<ArrayBuffer>) : bytes.slice();
}

/** `bytes` begins with the checksum before the segment. */
function openSegment(path: string, bytes: Uint8Array, header: SegmentHeader, offset: number): ScannedSegment {
  const words = wordsOf(bytes);
  const from = CHECKSUM_WORDS + SEGMENT_HEADER_WORDS;
  const to = words.length - CHECKSUM_WORDS;
  const checksum = bytes.slice(bytes.length - CHECKSUM_BYTES);
  if (!bytesEqual(sha256(bytes.subarray(0, bytes.length - CHECKSUM_BYTES)), checksum)) {
    throw corrupt(path, offset, `batch ${header.batch} disagrees with its checksum`);
  }
  return { ...header, offset, words, from, to, checksum };
}

/** The word after the row at `at`, or -1 when no valid row is there. */
export function endOfRow(words: Int32Array, at: number, to: number): number {
  if (at + HEAD_WORDS >= to) return -1;
  const head = words[at] as number;
  const bodies = wordsOfBodies(head);
  const end = at + HEAD_WORDS + bodies;
  return bodies > 0 && end <= to ? end : -1;
}

function wordsOfBodies(head: number): number {
  const kind = kindOf(head);
  if (kind === NULLIFY) return 1 + wordsFor(head >>> 2);
  const hasKey = kind === PUT || kind === DELETE ? keyBytesOfHead(head) > 0 : false;
  return hasKey ? recordsOfHead(head) * bodyWords(head) : 0;
}

/** Ordinals of the Nullify at `at`, ascending. */
export function readNullify(words: Int32Array, at: number): Int32Array {
  const ordinals = new Int32Array(words[at + HEAD_WORDS] as number);
  const list = new Uint8Array(words.buffer, words.byteOffset + (at + HEAD_WORDS + 1) * WORD_BYTES);
  let read = 0;
  let ordinal = -1;
  for (let i = 0; i < ordinals.length; i++) {
    let shift = 0;
    for (; (list[read] as number) > 127; shift += 7) ordinal += ((list[read++] as number) & 127) * 2 ** shift;
    ordinal += (list[read++] as number) * 2 ** shift;
    ordinals[i] = ordinal;
  }
  return ordinals;
}
