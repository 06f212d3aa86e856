/** Format of the journal: a segment of records (packages/records), each written twice. */
import { assert, concatBytes, fromUtf8, uint64le, utf8 } from '@slipstream/primitives';
import {
  checkSegmentHeader,
  encodeSegmentHeader,
  NO_LOG_ID,
  RECORD_OVERHEAD_BYTES,
  readSegmentHeader,
  SEGMENT_HEADER_BYTES,
  scanRecords,
  type WholeRecord,
  writeRecord,
} from '@slipstream/records';
import { CHECKSUM_BYTES, corrupt } from '../log/format.ts';

/** One MiB: replaced about hourly at one block per second. */
export const ENTRIES_MAX = 4096;
/** Of a block's name. */
export const BLOCK_BYTES_MAX = 160;
const CHECKSUM_AT = 16;
const BLOCK_AT = CHECKSUM_AT + CHECKSUM_BYTES;
const ENTRY_BYTES_MAX = 2 * (RECORD_OVERHEAD_BYTES + BLOCK_AT + BLOCK_BYTES_MAX);
export const JOURNAL_BYTES_MAX = SEGMENT_HEADER_BYTES + (ENTRIES_MAX + 1) * ENTRY_BYTES_MAX;
/** Precedes each record. It is no secret: no peer or client chooses the content of a commit. */
const RECORD_MAGIC = 0x54494d43;
const COMMIT = 1;

export interface JournalEntry {
  readonly batch: number;
  /** The log file with the batch's segment, which ends at `end`. */
  readonly file: number;
  readonly end: number;
  readonly checksum: Uint8Array;
  readonly block: string;
}

export function encodeJournalHeader(genesisHash: Uint8Array, firstBatch: number): Uint8Array {
  const fields = { store: 'journal', logId: NO_LOG_ID, recordMagic: RECORD_MAGIC } as const;
  return encodeSegmentHeader({ ...fields, genesisHash, firstSequence: firstBatch });
}

/** Encodes both copies. */
export function encodeEntry({ batch, file, end, checksum, block }: JournalEntry): Uint8Array {
  const name = utf8(block);
  assert(name.length <= BLOCK_BYTES_MAX, 'a block is named by at most 160 bytes');
  const record = new Uint8Array(RECORD_OVERHEAD_BYTES + BLOCK_AT + name.length);
  // The previous commit is durable when this one is written.
  const durableSequence = Math.max(0, batch - 1);
  const fields = { magic: RECORD_MAGIC, sequence: batch, durableSequence, kindByte: COMMIT };
  writeRecord(record, 0, fields, [uint64le(file), uint64le(end), checksum, name]);
  return concatBytes(record, record);
}

function decodeRecord(path: string, { offset, sequence, kindByte, payload }: WholeRecord): JournalEntry {
  if (kindByte !== COMMIT || payload.length < BLOCK_AT) throw corrupt(path, offset, 'a record that is no commit');
  const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
  const number = (at: number) => Number(view.getBigUint64(at, true));
  const checksum = payload.slice(CHECKSUM_AT, BLOCK_AT);
  return { batch: sequence, file: number(0), end: number(8), checksum, block: fromUtf8(payload.subarray(BLOCK_AT)) };
}

interface JournalScan {
  readonly entry: JournalEntry;
  readonly entries: number;
  /** Where the last entry begins and ends. */
  readonly offset: number;
  readonly end: number;
  /** Offset of the last entry's damaged copy. */
  readonly badCopy: number | undefined;
}

/** Throws StateError `corrupt`, RecordsError `foreign` or `unknown-format`. */
export function scanJournal(path: string, bytes: Uint8Array, genesisHash: Uint8Array): JournalScan {
  const header = readSegmentHeader(bytes, path, 'journal');
  if (header === undefined) throw corrupt(path, 0, 'the header disagrees with its checksum');
  checkSegmentHeader(header, path, { genesisHash, logId: NO_LOG_ID });
  const items = [...scanRecords(bytes, SEGMENT_HEADER_BYTES, header.recordMagic)];
  const damage = items.find(({ type }) => type === 'damage');
  const records = items.filter((item) => item.type === 'record');
  const before = records.filter(({ offset }) => damage === undefined || offset < damage.offset).length;
  // A crash tears only the entry being written. Its second copy may be sound.
  const behindMax = before % 2 === 0 ? 1 : 0;
  const outOfOrder = records.find(({ sequence }, at) => sequence !== header.firstSequence + (at >> 1));
  const fault = records.length - before > behindMax ? damage : outOfOrder;
  if (fault !== undefined)
    throw corrupt(path, fault.offset, 'a commit record disagrees with its checksum or its place');
  const last = records.at(-1);
  if (last === undefined) throw corrupt(path, SEGMENT_HEADER_BYTES, 'the journal has no commit record');
  const hasBoth = records.length % 2 === 0;
  const isSecond = hasBoth || records.length > before;
  const offset = isSecond ? last.offset - last.bytes : last.offset;
  const end = offset + 2 * last.bytes;
  const badCopy = hasBoth ? undefined : isSecond ? offset : last.offset + last.bytes;
  return { entry: decodeRecord(path, last), entries: Math.ceil(records.length / 2), offset, end, badCopy };
}
