/**
 * The journal: which batch is committed. Each commit syncs one entry before it is reported.
 *
 *   0000000000000257.journal    segment header, entry, entry, ...       entry: the same record twice
 *
 * A segment of records (packages/records), named after its first batch; a record's sequence is its batch. The last sound entry is the
 * tip. Each entry is written twice, because a flipped bit in a single last record would look like a torn write and silently lose the
 * commit. After ENTRIES_MAX entries a new journal begins with the newest entry. It has a temporary name until it is complete, and then
 * the old one is removed. So a journal is complete, except for what a crash tore at its end.
 */
import type { Disk, DiskFile } from '@slipstream/ports';
import { assert, concatBytes, fromUtf8, uint64le, utf8 } from '@slipstream/primitives';
import {
  checkSegmentHeader,
  encodeSegmentHeader,
  NO_LOG_ID,
  RECORD_OVERHEAD_BYTES,
  readSegmentHeader,
  SEGMENT_HEADER_BYTES,
  scanRecords,
  segmentPath,
  segmentsAmong,
  type WholeRecord,
  writeRecord,
} from '@slipstream/records';
import { CHECKSUM_BYTES, corrupt } from './format.ts';
import type { Cut } from './store.ts';

/** One MiB per journal: read in a few ms, replaced about hourly at one block per second. */
const ENTRIES_MAX = 4096;
const BLOCK_BYTES_MAX = 160;
const CHECKSUM_AT = 16;
const BLOCK_AT = CHECKSUM_AT + CHECKSUM_BYTES;
const ENTRY_BYTES_MAX = 2 * (RECORD_OVERHEAD_BYTES + BLOCK_AT + BLOCK_BYTES_MAX);
const JOURNAL_BYTES_MAX = SEGMENT_HEADER_BYTES + (ENTRIES_MAX + 1) * ENTRY_BYTES_MAX;
/** Precedes each record. It is no secret: no peer or client chooses the content of a commit. */
const RECORD_MAGIC = 0x54494d43;
/** The only record kind. */
const COMMIT = 1;
const TEMPORARY = 'journal.new';

interface JournalEntry {
  readonly batch: number;
  /** The file that holds the batch's segment, and where the segment ends. */
  readonly file: number;
  readonly end: number;
  readonly checksum: Uint8Array;
  readonly block: string;
}

export interface Journal {
  append(entry: JournalEntry): Promise<void>;
  /** Reads the whole file. Throws StateError `corrupt` at the first fault. Returns its size. */
  verify(): Promise<number>;
  close(): Promise<void>;
}

export interface JournalPlace {
  readonly disk: Disk;
  readonly directory: string;
  readonly genesisHash: Uint8Array;
}

function encodeHeader(genesisHash: Uint8Array, firstBatch: number): Uint8Array {
  const fields = { store: 'journal', logId: NO_LOG_ID, recordMagic: RECORD_MAGIC } as const;
  return encodeSegmentHeader({ ...fields, genesisHash, firstSequence: firstBatch });
}

/** Encodes both copies. */
function encodeEntry({ batch, file, end, checksum, block }: JournalEntry): Uint8Array {
  const name = utf8(block);
  assert(name.length <= BLOCK_BYTES_MAX, 'a block is named by at most 160 bytes');
  const record = new Uint8Array(RECORD_OVERHEAD_BYTES + BLOCK_AT + name.length);
  // The previous commit is durable when this one is written.
  const durableSequence = Math.max(0, batch - 1);
  const fields = { magic: RECORD_MAGIC, sequence: batch, durableSequence, kindByte: COMMIT };
  writeRecord(record, 0, fields, [uint64le(file), uint64le(end), checksum, name]);
  return concatBytes(record, record);
}

/** Throws StateError `corrupt`. */
function decodeRecord(path: string, { offset, sequence, kindByte, payload }: WholeRecord): JournalEntry {
  if (kindByte !== COMMIT || payload.length < BLOCK_AT) throw corrupt(path, offset, 'a record that is no commit');
  const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
  const number = (at: number) => Number(view.getBigUint64(at, true));
  const checksum = payload.slice(CHECKSUM_AT, BLOCK_AT);
  return { batch: sequence, file: number(0), end: number(8), checksum, block: fromUtf8(payload.subarray(BLOCK_AT)) };
}

interface Scan {
  readonly entry: JournalEntry;
  readonly entries: number;
  /** Where the last entry begins and ends. */
  readonly offset: number;
  readonly end: number;
  /** Offset of the last entry's bad copy, if any. */
  readonly badCopy: number | undefined;
}

/** Throws StateError `corrupt`, RecordsError `foreign` or `unknown-format`. */
function scanJournal(path: string, bytes: Uint8Array, genesisHash: Uint8Array): Scan {
  const header = readSegmentHeader(bytes, path, 'journal');
  if (header === undefined) throw corrupt(path, 0, 'the header disagrees with its checksum');
  checkSegmentHeader(header, path, { genesisHash, logId: NO_LOG_ID });
  const items = [...scanRecords(bytes, SEGMENT_HEADER_BYTES, header.recordMagic)];
  const damage = items.find(({ type }) => type === 'damage');
  const records = items.filter((item) => item.type === 'record');
  const before = records.filter(({ offset }) => damage === undefined || offset < damage.offset).length;
  // A crash tears only the entry being written: a sound second copy may follow its torn first copy.
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

/** Writes a journal with one entry under a temporary name, then renames it. */
async function writeFirst({ disk, directory, genesisHash }: JournalPlace, entry: JournalEntry): Promise<OpenFile> {
  const temporary = `${directory}/${TEMPORARY}`;
  const path = segmentPath(directory, 'journal', entry.batch);
  await disk.remove(temporary);
  const created = await disk.open(temporary, { create: true });
  const parts = [encodeHeader(genesisHash, entry.batch), encodeEntry(entry)] as const;
  await created.write(0, parts);
  await created.sync();
  await created.close();
  await disk.rename(temporary, path);
  await disk.syncDirectory(directory);
  return { file: await disk.open(path), entries: 1, end: parts[0].length + parts[1].length };
}

interface OpenFile {
  readonly file: DiskFile;
  readonly entries: number;
  readonly end: number;
}

function createJournalOn(place: JournalPlace, opened: OpenFile): Journal {
  let { file, entries, end } = opened;

  async function rotate(entry: JournalEntry): Promise<void> {
    const old = file;
    ({ file, entries, end } = await writeFirst(place, entry));
    await old.close();
    await place.disk.remove(old.path);
  }

  async function append(entry: JournalEntry): Promise<void> {
    if (entries >= ENTRIES_MAX) return rotate(entry);
    const bytes = encodeEntry(entry);
    await file.writeAndSync(end, [bytes]);
    entries += 1;
    end += bytes.length;
  }

  async function verify(): Promise<number> {
    const bytes = await file.read(0, await file.size());
    const scan = scanJournal(file.path, bytes, place.genesisHash);
    const bad = scan.badCopy ?? (scan.end === end ? undefined : scan.end);
    if (bad !== undefined) throw corrupt(file.path, bad, 'a commit record disagrees with its checksum');
    return bytes.length;
  }

  return { append, verify, close: () => file.close() };
}

/** Creates the journal of a new store with its first commit. */
export async function createJournal(place: JournalPlace, entry: JournalEntry): Promise<Journal> {
  return createJournalOn(place, await writeFirst(place, entry));
}

export interface OpenedJournal {
  readonly journal: Journal;
  readonly path: string;
  readonly entry: JournalEntry;
  readonly cut: readonly Cut[];
}

/**
 * Undefined when the folder has no journal. Cuts off what a crash tore. Throws StateError `corrupt`, RecordsError `foreign` or
 * `unknown-format`.
 */
export async function openJournal(place: JournalPlace, names: readonly string[]): Promise<OpenedJournal | undefined> {
  const { disk, directory, genesisHash } = place;
  if (names.includes(TEMPORARY)) await disk.remove(`${directory}/${TEMPORARY}`);
  const journals = segmentsAmong(names, directory, 'journal');
  const path = journals.at(-1)?.path;
  if (path === undefined) return undefined;
  const bytes = (await disk.readWhole(path, JOURNAL_BYTES_MAX)) ?? new Uint8Array();
  const { entry, entries, offset, end, badCopy } = scanJournal(path, bytes, genesisHash);
  const cut: Cut[] = [];
  const file = await disk.open(path);
  if (badCopy !== undefined) cut.push({ file: path, offset: badCopy, bytes: (end - offset) / 2, reason: 'torn' });
  if (bytes.length > end) cut.push({ file: path, offset: end, bytes: bytes.length - end, reason: 'torn' });
  if (cut.length > 0) {
    await file.write(offset, [encodeEntry(entry)]);
    await file.truncate(end);
  }
  // A killed process may have left its last entry or this journal's name visible but not synced. Sync before removing older journals.
  await file.sync();
  await disk.syncDirectory(directory);
  for (const older of journals.slice(0, -1)) await disk.remove(older.path);
  return { journal: createJournalOn(place, { file, entries, end }), path, entry, cut };
}
