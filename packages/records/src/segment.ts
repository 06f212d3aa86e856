/**
 * Segments: files of records, each with a header and named by its first sequence.
 *
 *   magic u32 | version u16 | store u16 | genesisHash 32 | logId 8 | firstSequence u64 | recordMagic u32 | CRC-32C u32   (64 bytes)
 *
 * INVARIANT: createSegment returns when header and name are durable, and records are written only then. Where a store syncs everything
 * before it creates the next segment, a segment's name proves that all lower sequences were durable, and a bad header before records is
 * corruption, never a torn write.
 */
import type { Disk, DiskFile, Random } from '@slipstream/ports';
import { assert, bytesEqual, toHex } from '@slipstream/primitives';
import { crc32c } from './crc32c.ts';
import { RecordsError } from './errors.ts';
import { getUint53, setUint53 } from './record.ts';

/** "SLSG". */
const SEGMENT_MAGIC = 0x47534c53;
export const FORMAT_VERSION = 2;

/** Stores that write segments: the number in the header, and the ending of the file's name. */
const STORES = {
  log: { number: 1, ending: 'wal' },
  'chunk files': { number: 2, ending: 'chunks' },
  journal: { number: 3, ending: 'journal' },
  seals: { number: 4, ending: 'seals' },
  'block files': { number: 5, ending: 'blocks' },
} as const;
export type Store = keyof typeof STORES;

const VERSION_AT = 4;
const STORE_AT = 6;
const GENESIS_AT = 8;
const LOG_ID_AT = 40;
const FIRST_SEQUENCE_AT = 48;
const RECORD_MAGIC_AT = 56;
const CHECKSUM_AT = 60;
export const SEGMENT_HEADER_BYTES = 64;
export const GENESIS_HASH_BYTES = 32;
export const LOG_ID_BYTES = 8;

/** For a store that nothing outside its folder refers to. */
export const NO_LOG_ID: Uint8Array = new Uint8Array(LOG_ID_BYTES);

export interface SegmentHeader {
  readonly store: Store;
  readonly genesisHash: Uint8Array;
  /** Random; differs from that of a replaced log. */
  readonly logId: Uint8Array;
  readonly firstSequence: number;
  /** Begins each record. */
  readonly recordMagic: number;
}

/** From the file's name. */
export interface SegmentName {
  readonly path: string;
  readonly firstSequence: number;
}

const SEQUENCE_DIGITS = 16;

/** The store's segments, oldest first. Ignores other files. */
export async function listSegments(disk: Disk, directory: string, store: Store): Promise<readonly SegmentName[]> {
  return segmentsAmong(await disk.list(directory), directory, store);
}

export function segmentsAmong(names: readonly string[], directory: string, store: Store): readonly SegmentName[] {
  const pattern = new RegExp(`^(\\d{${SEQUENCE_DIGITS}})\\.${STORES[store].ending}$`);
  const segments = names.flatMap((name): readonly SegmentName[] => {
    const digits = pattern.exec(name)?.[1];
    return digits === undefined ? [] : [{ path: `${directory}/${name}`, firstSequence: Number(digits) }];
  });
  return segments.sort((a, b) => a.firstSequence - b.firstSequence);
}

export function segmentPath(directory: string, store: Store, firstSequence: number): string {
  return `${directory}/${String(firstSequence).padStart(SEQUENCE_DIGITS, '0')}.${STORES[store].ending}`;
}

/** Adds a random magic, which no payload can contain on purpose. */
export function newSegmentHeader(random: Random, fields: Omit<SegmentHeader, 'recordMagic'>): SegmentHeader {
  return { ...fields, recordMagic: 1 + random.below(0xffffffff) };
}

/** Header and name survive a power cut once it resolves. */
export async function createSegment(disk: Disk, directory: string, header: SegmentHeader): Promise<DiskFile> {
  const file = await disk.open(segmentPath(directory, header.store, header.firstSequence), { create: true });
  await file.truncate(0);
  await file.write(0, [encodeSegmentHeader(header)]);
  await file.sync();
  await disk.syncDirectory(directory);
  return file;
}

export function encodeSegmentHeader(header: SegmentHeader): Uint8Array {
  assert(header.genesisHash.length === GENESIS_HASH_BYTES, 'a genesis hash has 32 bytes');
  assert(header.logId.length === LOG_ID_BYTES, 'a log id has 8 bytes');
  const bytes = new Uint8Array(SEGMENT_HEADER_BYTES);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, SEGMENT_MAGIC, true);
  view.setUint16(VERSION_AT, FORMAT_VERSION, true);
  view.setUint16(STORE_AT, STORES[header.store].number, true);
  bytes.set(header.genesisHash, GENESIS_AT);
  bytes.set(header.logId, LOG_ID_AT);
  setUint53(view, FIRST_SEQUENCE_AT, header.firstSequence);
  view.setUint32(RECORD_MAGIC_AT, header.recordMagic, true);
  view.setUint32(CHECKSUM_AT, crc32c(bytes, 0, CHECKSUM_AT), true);
  return bytes;
}

/**
 * Undefined when the header is damaged. Throws RecordsError `unknown-format` for a sound header of another version, `foreign` for another
 * store.
 */
export function readSegmentHeader(bytes: Uint8Array, path: string, store: Store): SegmentHeader | undefined {
  if (bytes.length < SEGMENT_HEADER_BYTES) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(0, true) !== SEGMENT_MAGIC) return undefined;
  if (view.getUint32(CHECKSUM_AT, true) !== crc32c(bytes, 0, CHECKSUM_AT)) return undefined;
  const version = view.getUint16(VERSION_AT, true);
  if (version !== FORMAT_VERSION) {
    const message = `${path} has segment format ${version}, this program knows ${FORMAT_VERSION}: run the version that wrote it`;
    throw new RecordsError('unknown-format', message, { file: path, version });
  }
  if (view.getUint16(STORE_AT, true) !== STORES[store].number) {
    throw new RecordsError('foreign', `${path} is no segment of the ${store}: files were mixed up`, { file: path });
  }
  return {
    store,
    genesisHash: bytes.slice(GENESIS_AT, LOG_ID_AT),
    logId: bytes.slice(LOG_ID_AT, FIRST_SEQUENCE_AT),
    firstSequence: getUint53(view, FIRST_SEQUENCE_AT),
    recordMagic: view.getUint32(RECORD_MAGIC_AT, true),
  };
}

/** Throws RecordsError `foreign` for another chain or log. */
export function checkSegmentHeader(
  header: SegmentHeader,
  path: string,
  expected: { readonly genesisHash: Uint8Array; readonly logId: Uint8Array },
): void {
  if (!bytesEqual(header.genesisHash, expected.genesisHash)) {
    const message =
      `${path} belongs to another chain (genesis ${toHex(header.genesisHash)}, ` +
      `not ${toHex(expected.genesisHash)}): use the data folder that belongs to this genesis`;
    throw new RecordsError('foreign', message, { file: path, genesisHash: toHex(header.genesisHash) });
  }
  if (!bytesEqual(header.logId, expected.logId)) {
    const message = `${path} belongs to another log than the segments before it: files of two logs were mixed`;
    throw new RecordsError('foreign', message, { file: path, logId: toHex(header.logId) });
  }
}
