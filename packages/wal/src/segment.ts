/**
 * Segments: the files of a log, each named after its first sequence, each with a header of its own.
 *
 *   magic u32 | version u32 | genesisHash 32 | logId 8 | firstSequence u64 | recordMagic u32 | CRC-32C u32   (64 bytes)
 *
 * INVARIANT: a segment is created only after everything before it was synced, and its header and its name in the folder are
 * synced before a record is written behind it. So a segment's name alone proves that all below its first sequence was
 * durable, and a bad header in front of records is corruption, never a torn write.
 */
import type { Disk, DiskFile, Random } from '@slipstream/ports';
import { assert, bytesEqual, toHex } from '@slipstream/primitives';
import { crc32c } from './crc32c.ts';
import { corrupt, WalError } from './errors.ts';
import { getUint53, setUint53 } from './record.ts';

/** "SLWS" in the file. */
const SEGMENT_MAGIC = 0x53574c53;
export const FORMAT_VERSION = 1;

const VERSION_AT = 4;
const GENESIS_AT = 8;
const LOG_ID_AT = 40;
const FIRST_SEQUENCE_AT = 48;
const RECORD_MAGIC_AT = 56;
const CHECKSUM_AT = 60;
export const SEGMENT_HEADER_BYTES = 64;
export const GENESIS_HASH_BYTES = 32;
export const LOG_ID_BYTES = 8;

export interface SegmentHeader {
  readonly genesisHash: Uint8Array;
  /** Drawn when the log was made: tells a new log from the one it took the place of. */
  readonly logId: Uint8Array;
  readonly firstSequence: number;
  /** In front of each record of this segment; random, so that no payload can contain it on purpose. */
  readonly recordMagic: number;
}

/** A segment as its name tells it. */
export interface SegmentName {
  readonly path: string;
  readonly firstSequence: number;
}

const NAME_PATTERN = /^(\d{16})\.wal$/;

/** The log's segments in a folder, oldest first. Other files are left alone. */
export async function listSegments(disk: Disk, directory: string): Promise<readonly SegmentName[]> {
  const segments: SegmentName[] = [];
  for (const name of await disk.list(directory)) {
    const digits = NAME_PATTERN.exec(name)?.[1];
    if (digits !== undefined) segments.push({ path: `${directory}/${name}`, firstSequence: Number(digits) });
  }
  return segments.sort((a, b) => a.firstSequence - b.firstSequence);
}

export function newSegmentHeader(
  random: Random,
  { genesisHash, logId }: Pick<SegmentHeader, 'genesisHash' | 'logId'>,
  firstSequence: number,
): SegmentHeader {
  return { genesisHash, logId, firstSequence, recordMagic: 1 + random.below(0xffffffff) };
}

/** Makes the file and returns when header and name survive a power cut. */
export async function createSegment(disk: Disk, directory: string, header: SegmentHeader): Promise<DiskFile> {
  const file = await disk.open(segmentPath(directory, header.firstSequence), { create: true });
  await file.truncate(0);
  await file.write(0, [encodeSegmentHeader(header)]);
  await file.sync();
  await disk.syncDirectory(directory);
  return file;
}

export function segmentPath(directory: string, firstSequence: number): string {
  return `${directory}/${String(firstSequence).padStart(16, '0')}.wal`;
}

export function encodeSegmentHeader(header: SegmentHeader): Uint8Array {
  assert(header.genesisHash.length === GENESIS_HASH_BYTES, 'a genesis hash has 32 bytes');
  assert(header.logId.length === LOG_ID_BYTES, 'a log id has 8 bytes');
  const bytes = new Uint8Array(SEGMENT_HEADER_BYTES);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, SEGMENT_MAGIC, true);
  view.setUint32(VERSION_AT, FORMAT_VERSION, true);
  bytes.set(header.genesisHash, GENESIS_AT);
  bytes.set(header.logId, LOG_ID_AT);
  setUint53(view, FIRST_SEQUENCE_AT, header.firstSequence);
  view.setUint32(RECORD_MAGIC_AT, header.recordMagic, true);
  view.setUint32(CHECKSUM_AT, crc32c(bytes, 0, CHECKSUM_AT), true);
  return bytes;
}

/**
 * The header at the start of a segment's bytes; undefined when it is damaged.
 * Throws WalError `newer-format` when a whole header has a version this program does not know.
 */
export function readSegmentHeader(bytes: Uint8Array, path: string): SegmentHeader | undefined {
  if (bytes.length < SEGMENT_HEADER_BYTES) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(0, true) !== SEGMENT_MAGIC) return undefined;
  if (view.getUint32(CHECKSUM_AT, true) !== crc32c(bytes, 0, CHECKSUM_AT)) return undefined;
  const version = view.getUint32(VERSION_AT, true);
  if (version !== FORMAT_VERSION) {
    const message = `${path} has log format ${version}, this program knows ${FORMAT_VERSION}: run the version that wrote it`;
    throw new WalError('newer-format', message, { file: path, version });
  }
  return {
    genesisHash: bytes.slice(GENESIS_AT, LOG_ID_AT),
    logId: bytes.slice(LOG_ID_AT, FIRST_SEQUENCE_AT),
    firstSequence: getUint53(view, FIRST_SEQUENCE_AT),
    recordMagic: view.getUint32(RECORD_MAGIC_AT, true),
  };
}

/** Throws WalError `foreign-log` or `corrupt` unless the header belongs to this chain, this log and this name. */
export function checkSegmentHeader(
  header: SegmentHeader,
  segment: SegmentName,
  expected: { readonly genesisHash: Uint8Array; readonly logId: Uint8Array },
): void {
  if (!bytesEqual(header.genesisHash, expected.genesisHash)) {
    const message =
      `${segment.path} is the log of another chain (genesis ${toHex(header.genesisHash)}, ` +
      `not ${toHex(expected.genesisHash)}): use the data folder that belongs to this genesis`;
    throw new WalError('foreign-log', message, { file: segment.path, genesisHash: toHex(header.genesisHash) });
  }
  if (!bytesEqual(header.logId, expected.logId)) {
    const message = `${segment.path} belongs to another log than the segments before it: files of two logs were mixed`;
    throw new WalError('foreign-log', message, { file: segment.path, logId: toHex(header.logId) });
  }
  if (header.firstSequence !== segment.firstSequence) {
    throw corrupt(segment.path, 0, `a header for sequence ${header.firstSequence}, which the name denies`);
  }
}
