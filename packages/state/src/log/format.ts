/**
 * Format of a log file. Integers are little-endian, all parts are multiples of four bytes.
 *
 *   file     header (64 bytes), SHA-256(header), segment, segment, ...
 *   segment  header (64 bytes), rows, SHA-256(the 32 bytes before this segment || header || rows)
 *   row      head, bodies: up to 64 records of one kind, one key length and one value length
 *
 *   Put       head = 1 | key bytes << 2 | value bytes << 9 | (records - 1) << 26    body = key, value (each padded with zeros)
 *   Delete    head = 2 | key bytes << 2 | (records - 1) << 26                       body = key
 *   Nullify   head = 3 | list bytes << 2    one body = count, list: the ordinals, ascending, of Puts of this file that died
 *             since it was last written (by that batch or a later one, not by this one), as base-128 differences (the first to -1)
 *
 * The 32 bytes before a segment are the previous checksum, so a checksum covers the file up to it. A segment's header carries the checksum
 * of the previous batch, in another file. So the last checksum covers the whole state.
 *
 * A record begins a new row only if it does not fit the previous one. Puts are numbered through a file: memory refers to a record by this
 * ordinal and its log's number (slot).
 */
import { bytesEqual, concatBytes, sha256, uint32le, uint64le, utf8 } from '@slipstream/primitives';
import { crc32c } from '@slipstream/records';
import { StateError } from '../errors.ts';
import { WORD_BYTES, wordsFor, wordsOf } from '../typed-arrays/word-arrays.ts';

export const PUT = 1;
export const DELETE = 2;
export const NULLIFY = 3;

export const CHECKSUM_BYTES = 32;
export const CHECKSUM_WORDS = 8;
const FILE_MAGIC = utf8('SLIPLOG\n');
const FORMAT_VERSION = 4;
export const FILE_HEADER_BYTES = 64 + CHECKSUM_BYTES;

export const SEGMENT_MAGIC = 0x31474553;
export const SEGMENT_HEADER_WORDS = 16;
export const SEGMENT_BYTES_MIN = SEGMENT_HEADER_WORDS * 4 + CHECKSUM_BYTES;
export const SEGMENT_BYTES_MAX = 2 ** 30;
export const HEAD_WORDS = 1;
export const RECORDS_OF_ROW_MAX = 64;
const RECORDS_SHIFT = 26;
/** Added to a head per further record. */
export const HEAD_OF_ONE_MORE = 1 << RECORDS_SHIFT;

/** Heads of a row with one record. */
export const headOfPut = (keyBytes: number, valueBytes: number): number => PUT | (keyBytes << 2) | (valueBytes << 9);
export const headOfDelete = (keyBytes: number): number => DELETE | (keyBytes << 2);

export const kindOf = (head: number): number => head & 3;
export const keyBytesOfHead = (head: number): number => (head >>> 2) & 127;
export const valueBytesOfHead = (head: number): number => (head >>> 9) & 0x1ffff;
export const recordsOfHead = (head: number): number => (head >>> RECORDS_SHIFT) + 1;

/** Whether records of these heads may share a row. */
export const mayShareRow = (head: number, other: number): boolean => (head ^ other) << (32 - RECORDS_SHIFT) === 0;

export const bodyWords = (head: number): number =>
  wordsFor(keyBytesOfHead(head)) + (kindOf(head) === PUT ? wordsFor(valueBytesOfHead(head)) : 0);

/** Word offsets in a segment's header. */
const AT_MAGIC = 0;
export const AT_BYTES = 1;
export const AT_BATCH_LOW = 2;
export const AT_BATCH_HIGH = 3;
export const AT_RECORDS = 4;
export const AT_PUTS = 5;
export const AT_PARENT = 6;
export const AT_RESERVED = 14;
export const AT_CRC = 15;

export interface FileIdentity {
  readonly genesisHash: Uint8Array;
  readonly history: number;
  /** Batch that created the file, which names it. */
  readonly file: number;
}

export function encodeFileHeader({ genesisHash, history, file }: FileIdentity): Uint8Array {
  const head = [
    FILE_MAGIC,
    uint32le(FORMAT_VERSION),
    uint32le(history),
    uint64le(file),
    genesisHash,
    new Uint8Array(8),
  ];
  const header = concatBytes(...head);
  return concatBytes(header, sha256(header));
}

/** Throws StateError `corrupt` for a wrong checksum, `foreign` for a sound but different header. */
export function checkFileHeader(path: string, bytes: Uint8Array, identity: FileIdentity): void {
  if (bytesEqual(bytes, encodeFileHeader(identity))) return;
  const whole = bytes.length === FILE_HEADER_BYTES;
  const header = bytes.subarray(0, FILE_HEADER_BYTES - CHECKSUM_BYTES);
  if (!whole || !bytesEqual(sha256(header), bytes.subarray(header.length))) {
    throw corrupt(path, 0, 'the file header disagrees with its checksum');
  }
  throw new StateError('foreign', `${path} belongs to another chain, format or log`, { file: path });
}

export function corrupt(file: string, offset: number, what: string): StateError {
  return new StateError(
    'corrupt',
    `${file} is damaged at byte ${offset}: ${what}; restore it or sync the state again`,
    {
      file,
      offset,
      what,
    },
  );
}

export interface SegmentHeader {
  readonly bytes: number;
  readonly batch: number;
  readonly records: number;
  readonly puts: number;
}

export function headerCrc(words: Int32Array, at: number): number {
  return crc32c(new Uint8Array(words.buffer, words.byteOffset + at * WORD_BYTES, AT_CRC * WORD_BYTES)) | 0;
}

/** Undefined when the 64 bytes are not a sound header. */
export function decodeSegmentHeader(bytes: Uint8Array): SegmentHeader | undefined {
  if (bytes.length < SEGMENT_HEADER_WORDS * 4) return undefined;
  const words = wordsOf(bytes.slice(0, SEGMENT_HEADER_WORDS * 4));
  const sound = words[AT_MAGIC] === SEGMENT_MAGIC && words[AT_CRC] === headerCrc(words, 0);
  const size = (words[AT_BYTES] as number) >>> 0;
  if (!sound || size < SEGMENT_BYTES_MIN || size > SEGMENT_BYTES_MAX || size % 4 !== 0) return undefined;
  const high = (words[AT_BATCH_HIGH] as number) >>> 0;
  return {
    bytes: size,
    batch: high * 2 ** 32 + ((words[AT_BATCH_LOW] as number) >>> 0),
    records: (words[AT_RECORDS] as number) >>> 0,
    puts: (words[AT_PUTS] as number) >>> 0,
  };
}

const FILE_DIGITS = 16;
const LOG_NAME = /^(\d{16})\.log$/;

/** The name is the batch that created the file, so names are equal on all nodes. */
export function logName(file: number): string {
  return `${String(file).padStart(FILE_DIGITS, '0')}.log`;
}

export function fileOfLogName(name: string): number | undefined {
  const digits = LOG_NAME.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
