/**
 * The journal: which batch is committed. One record a commit, synced before the commit is told.
 *
 *   journal-00000001    header (512 bytes), entry, entry, ...       entry: the same record twice (2 x 256 bytes)
 *
 * The last sound entry is the tip. An entry is written twice because a flipped bit in the last one would else look like a
 * torn write, and a commit would be lost without a word. After ENTRIES_MAX entries a new journal begins with the last entry,
 * under a temporary name until it is whole; then the old one is removed. So a journal that is there is sound from its first
 * entry to its last, but for what a crash tore at the end.
 */
import type { Disk, DiskFile } from '@slipstream/ports';
import { assert, bytesEqual, concatBytes, fromUtf8, uint32le, uint64le, utf8 } from '@slipstream/primitives';
import { crc32c } from '@slipstream/records';
import { StateError } from './errors.ts';
import { corrupt } from './format.ts';
import type { Cut } from './store.ts';
import { WORD_BYTES, wordsOf } from './words.ts';

const MAGIC = utf8('SLIPJNL\n');
const FORMAT_VERSION = 1;
const HEADER_BYTES = 512;
const RECORD_BYTES = 256;
const ENTRY_BYTES = 2 * RECORD_BYTES;
/** 2 MiB a journal: read in a few ms, and begun anew about once an hour at one block a second. */
const ENTRIES_MAX = 4096;
const JOURNAL_BYTES_MAX = HEADER_BYTES + (ENTRIES_MAX + 1) * ENTRY_BYTES;
const BLOCK_BYTES_MAX = 160;
const RECORD_MAGIC = 0x54494d43;
const TEMPORARY = 'journal.new';
const NAME = /^journal-(\d{8})$/;

const nameOf = (number: number): string => `journal-${String(number).padStart(8, '0')}`;

export interface JournalEntry {
  readonly batch: number;
  /** The file that holds the batch's segment, and where the segment ends. */
  readonly file: number;
  readonly end: number;
  readonly checksum: Uint8Array;
  readonly block: string;
}

export interface Journal {
  append(entry: JournalEntry): Promise<void>;
  /** Reads it all again. Throws StateError `corrupt` at the first fault. Returns its size. */
  verify(): Promise<number>;
  close(): Promise<void>;
}

export interface JournalPlace {
  readonly disk: Disk;
  readonly directory: string;
  readonly genesisHash: Uint8Array;
}

function sealed(bytes: Uint8Array): Uint8Array {
  const words = wordsOf(bytes);
  words[words.length - 1] = crc32c(bytes, 0, bytes.length - WORD_BYTES);
  return bytes;
}

function isSealed(bytes: Uint8Array): boolean {
  const words = wordsOf(bytes);
  return words[words.length - 1] === (crc32c(bytes, 0, bytes.length - WORD_BYTES) | 0);
}

function padded(length: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(length);
  bytes.set(concatBytes(...parts));
  return sealed(bytes);
}

function encodeHeader(genesisHash: Uint8Array, number: number): Uint8Array {
  return padded(HEADER_BYTES, MAGIC, uint32le(FORMAT_VERSION), uint32le(number), genesisHash);
}

/** Both copies. */
function encodeEntry({ batch, file, end, checksum, block }: JournalEntry): Uint8Array {
  const name = utf8(block);
  assert(name.length <= BLOCK_BYTES_MAX, 'a block is named by at most 160 bytes');
  const numbers = [uint32le(RECORD_MAGIC), uint32le(name.length), uint64le(batch), uint64le(file), uint64le(end)];
  const record = padded(RECORD_BYTES, ...numbers, checksum, name);
  return concatBytes(record, record);
}

/** Undefined when the record is not sound. */
function decodeRecord(record: Uint8Array): JournalEntry | undefined {
  const view = new DataView(record.buffer, record.byteOffset, record.byteLength);
  if (view.getUint32(0, true) !== RECORD_MAGIC || !isSealed(record)) return undefined;
  const number = (at: number) => Number(view.getBigUint64(at, true));
  const block = fromUtf8(record.subarray(64, 64 + view.getUint32(4, true)));
  return { batch: number(8), file: number(16), end: number(24), checksum: record.slice(32, 64), block };
}

interface Scan {
  readonly entry: JournalEntry;
  readonly entries: number;
  /** Bytes up to the end of the last entry of which a copy is sound. */
  readonly end: number;
  /** Where the entry's bad copy stands, if one is bad. */
  readonly badCopy: number | undefined;
}

/** Throws StateError `corrupt` or `foreign`. */
function scanJournal(path: string, bytes: Uint8Array, genesisHash: Uint8Array, number: number): Scan {
  checkHeader(path, bytes.slice(0, HEADER_BYTES), genesisHash, number);
  let scan: Scan | undefined;
  for (let at = HEADER_BYTES; at + ENTRY_BYTES <= bytes.length; at += ENTRY_BYTES) {
    const first = decodeRecord(bytes.slice(at, at + RECORD_BYTES));
    const second = decodeRecord(bytes.slice(at + RECORD_BYTES, at + ENTRY_BYTES));
    const entry = first ?? second;
    const isLast = bytes.length - at < 2 * ENTRY_BYTES;
    if (entry === undefined && isLast && scan !== undefined) break;
    const badCopy = first === undefined ? at : second === undefined ? at + RECORD_BYTES : undefined;
    const tornAtMost = isLast && entry !== undefined;
    if (entry === undefined || (badCopy !== undefined && !tornAtMost)) {
      throw corrupt(path, badCopy ?? at, 'a commit record disagrees with its checksum');
    }
    scan = { entry, entries: (scan?.entries ?? 0) + 1, end: at + ENTRY_BYTES, badCopy };
  }
  if (scan === undefined) throw corrupt(path, HEADER_BYTES, 'the journal has no commit record');
  return scan;
}

function checkHeader(path: string, header: Uint8Array, genesisHash: Uint8Array, number: number): void {
  if (bytesEqual(header, encodeHeader(genesisHash, number))) return;
  const sound = header.length === HEADER_BYTES && isSealed(header);
  if (!sound) throw corrupt(path, 0, 'the header disagrees with its checksum');
  throw new StateError('foreign', `${path} belongs to another chain or format`, { file: path });
}

/** Writes a journal whose first entry is `entry`, and only then gives it its name. */
async function writeFirst({ disk, directory, genesisHash }: JournalPlace, number: number, entry: JournalEntry) {
  const temporary = `${directory}/${TEMPORARY}`;
  const path = `${directory}/${nameOf(number)}`;
  await disk.remove(temporary);
  const file = await disk.open(temporary, { create: true });
  await file.write(0, [encodeHeader(genesisHash, number), encodeEntry(entry)]);
  await file.sync();
  await file.close();
  await disk.rename(temporary, path);
  await disk.syncDirectory(directory);
  return disk.open(path);
}

function createJournalOn(place: JournalPlace, opened: DiskFile, openedNumber: number, openedEntries: number): Journal {
  let file = opened;
  let number = openedNumber;
  let entries = openedEntries;

  async function rotate(entry: JournalEntry): Promise<void> {
    const old = file;
    file = await writeFirst(place, number + 1, entry);
    number += 1;
    entries = 1;
    await old.close();
    await place.disk.remove(old.path);
  }

  async function append(entry: JournalEntry): Promise<void> {
    if (entries >= ENTRIES_MAX) return rotate(entry);
    await file.writeAndSync(HEADER_BYTES + entries * ENTRY_BYTES, [encodeEntry(entry)]);
    entries += 1;
  }

  async function verify(): Promise<number> {
    const bytes = await file.read(0, await file.size());
    const scan = scanJournal(file.path, bytes, place.genesisHash, number);
    const bad = scan.badCopy ?? (scan.entries === entries ? undefined : scan.end);
    if (bad !== undefined) throw corrupt(file.path, bad, 'a commit record disagrees with its checksum');
    return bytes.length;
  }

  return { append, verify, close: () => file.close() };
}

/** The journal of a new store, whose first commit is `entry`. */
export async function createJournal(place: JournalPlace, entry: JournalEntry): Promise<Journal> {
  return createJournalOn(place, await writeFirst(place, 1, entry), 1, 1);
}

export interface OpenedJournal {
  readonly journal: Journal;
  readonly path: string;
  readonly entry: JournalEntry;
  readonly cut: readonly Cut[];
}

/** Undefined when the folder has none. Takes off what a crash tore. Throws StateError `corrupt` or `foreign`. */
export async function openJournal(place: JournalPlace, names: readonly string[]): Promise<OpenedJournal | undefined> {
  const { disk, directory, genesisHash } = place;
  const numbers = names.flatMap((name) => NAME.exec(name)?.[1] ?? []).map(Number);
  if (names.includes(TEMPORARY)) await disk.remove(`${directory}/${TEMPORARY}`);
  if (numbers.length === 0) return undefined;
  const number = Math.max(...numbers);
  const path = `${directory}/${nameOf(number)}`;
  const bytes = (await disk.readWhole(path, JOURNAL_BYTES_MAX)) ?? new Uint8Array();
  const { entry, entries, end, badCopy } = scanJournal(path, bytes, genesisHash, number);
  const cut: Cut[] = [];
  const file = await disk.open(path);
  if (badCopy !== undefined) cut.push({ file: path, offset: badCopy, bytes: RECORD_BYTES, reason: 'torn' });
  if (bytes.length > end) cut.push({ file: path, offset: end, bytes: bytes.length - end, reason: 'torn' });
  if (cut.length > 0) {
    await file.write(end - ENTRY_BYTES, [encodeEntry(entry)]);
    await file.truncate(end);
  }
  // A killed process may have left its last entry, or this journal's name, visible and not yet synced; files that it replaces go now.
  await file.sync();
  await disk.syncDirectory(directory);
  for (const older of numbers.filter((each) => each !== number)) await disk.remove(`${directory}/${nameOf(older)}`);
  return { journal: createJournalOn(place, file, number, entries), path, entry, cut };
}
