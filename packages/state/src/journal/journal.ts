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
  /** Reads the whole file. Throws StateError `corrupt` at the first fault. Returns its size. */
  verify(): Promise<number>;
  close(): Promise<void>;
}

export interface JournalPlace {
  readonly disk: Disk;
  readonly directory: string;
  readonly genesisHash: Uint8Array;
}

/** Writes a journal with one entry under a temporary name, then renames it. */
async function writeFirst({ disk, directory, genesisHash }: JournalPlace, entry: JournalEntry): Promise<OpenFile> {
  const temporary = `${directory}/${TEMPORARY}`;
  const path = segmentPath(directory, 'journal', entry.batch);
  await disk.remove(temporary);
  const created = await disk.open(temporary, { create: true });
  const parts = [encodeJournalHeader(genesisHash, entry.batch), encodeEntry(entry)] as const;
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
