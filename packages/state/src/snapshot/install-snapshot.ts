/** Turns the files of a fetched snapshot into a store. */
import type { Disk, DiskFile } from '@slipstream/ports';
import { bytesEqual } from '@slipstream/primitives';
import { StateError } from '../errors.ts';
import { createJournal } from '../journal/journal.ts';
import { fileOfLogName } from '../log/format.ts';
import { scanLog } from '../log/log-scan.ts';
import { newestBatchOf, type SnapshotFile, type StateSnapshot } from './snapshot.ts';

/** Whether a fetched file is exactly that of the snapshot. */
export async function isSnapshotFile(
  opened: DiskFile,
  snapshot: StateSnapshot,
  expected: SnapshotFile,
  { genesisHash, history }: { readonly genesisHash: Uint8Array; readonly history: number },
): Promise<boolean> {
  try {
    const identity = { genesisHash, history, file: expected.file };
    const { end, checksum } = await scanLog(opened, identity, newestBatchOf(snapshot, expected, history), () => {});
    return end === expected.bytes && end === (await opened.size()) && bytesEqual(checksum, expected.checksum);
  } catch (error) {
    if (error instanceof StateError) return false;
    throw error;
  }
}

/** Afterwards openStateStore opens the directory at the snapshot's batch. */
export async function installSnapshot(
  disk: Disk,
  directory: string,
  snapshot: StateSnapshot,
  { genesisHash, history }: { readonly genesisHash: Uint8Array; readonly history: number },
): Promise<void> {
  const wanted = new Set(snapshot.files.map(({ file }) => file));
  for (const name of await disk.list(directory)) {
    const file = fileOfLogName(name);
    if (file === undefined || !wanted.has(file)) await disk.remove(`${directory}/${name}`);
  }
  const newest = snapshot.files.find((file) => newestBatchOf(snapshot, file, history) === snapshot.batch);
  if (newest === undefined) throw new StateError('missing', 'the snapshot has no file of its last batch', {});
  const { batch, checksum, block } = snapshot;
  const entry = { batch, checksum, block, file: newest.file, end: newest.bytes };
  const journal = await createJournal({ disk, directory, genesisHash }, entry);
  await journal.close();
}
