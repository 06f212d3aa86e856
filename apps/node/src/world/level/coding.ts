/** What all of LevelDB's files share: masked checksums, varints, and how damage is told. */
import { DiskError } from '@slipstream/ports';
import { crc32c } from '@slipstream/records';

const MASK_DELTA = 0xa282ead8;

/** Whether bytes[from, to) have the checksum that stands at `at`. LevelDB masks it: a checksum of what holds checksums is weak. */
export function isSummed(bytes: Uint8Array, from: number, to: number, at: number): boolean {
  const sum = crc32c(bytes, from, to);
  const masked = (((sum >>> 15) | (sum << 17)) + MASK_DELTA) >>> 0;
  return uint32At(bytes, at) === masked;
}

export function uint32At(bytes: Uint8Array, at: number): number {
  const [a = 0, b = 0, c = 0, d = 0] = bytes.subarray(at, at + 4);
  return (a | (b << 8) | (c << 16) | (d << 24)) >>> 0;
}

export interface Cursor {
  readonly bytes: Uint8Array;
  at: number;
}

/** Undefined at the end of the bytes, or above 2^53. */
export function readVarint(cursor: Cursor): number | undefined {
  let value = 0;
  for (let scale = 1; scale <= 2 ** 49; scale *= 128) {
    const next = cursor.bytes[cursor.at++];
    if (next === undefined) return undefined;
    value += (next & 127) * scale;
    if (next < 128) return value;
  }
  return undefined;
}

/** Bytes behind their length. */
export function readSlice(cursor: Cursor): Uint8Array | undefined {
  const length = readVarint(cursor);
  if (length === undefined || cursor.at + length > cursor.bytes.length) return undefined;
  cursor.at += length;
  return cursor.bytes.subarray(cursor.at - length, cursor.at);
}

export function damaged(file: string, offset: number, what: string): DiskError {
  const message =
    `${file} is damaged: ${what} at offset ${offset}. Nothing was changed. Set the data folder aside and let the node take the ` +
    'state from its peers; a validator takes its signing history along (slipstream keys export-history)';
  return new DiskError('damaged', message, { file, offset });
}
