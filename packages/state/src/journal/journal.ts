/**
 * The journal: which batch is committed. A commit syncs one entry before it is reported.
 *
 *   0000000000000257.journal    segment header, entry, entry, ...       entry: the same record twice
 *
 * The last sound entry is the tip. Entries are written twice, because a flipped bit in a single last record would pass for a torn write
 * and lose the commit. After ENTRIES_MAX entries a new journal, under a temporary name until complete, begins with the newest entry, and
 * the old one is removed. So a journal is complete, except for a torn end.
 */
import type { Disk, DiskFile } from '@slipstream/ports';
import { segmentPath, segmentsAmong } from '@slipstream/records';
import { corrupt } from '../log/format.ts';
import type { Cut } from '../store.ts';
import {
  ENTRIES_MAX,
  encodeEntry,
  encodeJournalHeader,
  JOURNAL_BYTES_MAX,
  type JournalEntry,
  scanJournal,
} from './journal-format.ts';

const TEMPORARY = 'journal.new';

export interface Journal {
  append(entry: JournalEntry): Promise<void>;
  /** Returns the file's size. Throws StateError `corrupt` at the first fault. */
  verify(): Promise<number>;
  close(): Promise<void>;
}

export interface JournalPlace {
  readonly disk: Disk;
  readonly directory: string;
  readonly genesisHash: Uint8Array;
}

/** Writes a journal with one entry. */
async function writeFirst({ disk, directory, genesisHash }: JournalPlace, entry: JournalEntry): Promise<OpenFile> {
  const temporary = `${directory}/${TEMPORARY}`;
  const path = segmentPath(directory, 'journal', entry.batch);
  await disk.remove(temporary);
  const created = await disk.open(temporary, { create: true });
  const parts = [encodeJournalHeader(genesisHash, entry.batch), encodeEntry(entry)] as const;
  try {
    await created.write(0, parts);
    await created.sync();
  } finally {
    await created.close();
  }
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

export async function createJournal(place: JournalPlace, entry: JournalEntry): Promise<Journal> {
  return createJournalOn(place, await writeFirst(place, entry));
}

export interface OpenedJournal {
  readonly journal: Journal;
  readonly path: string;
  readonly entry: JournalEntry;
  readonly cut: readonly Cut[];
}

/** Cuts off a torn end. Undefined when there is no journal. Throws StateError `corrupt`, RecordsError `foreign` or `unknown-format`. */
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
  // A killed process may leave its last entry or this file's name unsynced. Sync before older journals go.
  await file.sync();
  await disk.syncDirectory(directory);
  for (const older of journals.slice(0, -1)) await disk.remove(older.path);
  return { journal: createJournalOn(place, { file, entries, end }), path, entry, cut };
}
