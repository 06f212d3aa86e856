/**
 * Snapshots: the log files of one committed batch, linked beside the store, for nodes that join.
 *
 *   <directory>/<batch>/0000000000000257.log ...    hard links: no copy, and they survive a compaction
 *   <directory>/<batch>/index                       written last, with its SHA-256: a folder without a sound one is unfinished
 *
 * Log files only grow, and a file's checksum at a size covers all bytes below. So a link and a size are a frozen copy. All nodes take
 * snapshots of the same batches with the same bytes (V1), so a node may fetch files from many peers.
 */
import type { Disk, DiskFile, Telemetry } from '@slipstream/ports';
import {
  ByteListType,
  ByteVectorType,
  bytesEqual,
  ContainerType,
  createCodec,
  fromUtf8,
  ListCompositeType,
  sha256,
  UintNumberType,
  utf8,
} from '@slipstream/primitives';
import type { Committed } from './committed.ts';
import { StateError } from './errors.ts';
import { CHECKSUM_BYTES, fileOfLogName, logName } from './format.ts';
import { createJournal } from './journal.ts';
import { scanLog } from './log-scan.ts';
import { HISTORY_MAX } from './parameters.ts';
import { lastBatchOf } from './recover.ts';

export interface SnapshotFile {
  /** The batch that created the file; also its name. */
  readonly file: number;
  /** Bytes of the file that belong to the snapshot. */
  readonly bytes: number;
  /** Covers all of them: the checksum of the newest batch in the file. */
  readonly checksum: Uint8Array;
}

export interface StateSnapshot {
  readonly batch: number;
  readonly checksum: Uint8Array;
  readonly block: string;
  readonly files: readonly SnapshotFile[];
}

export interface SnapshotPolicy {
  /** A folder beside the store's, on the same file system. */
  readonly directory: string;
  /** Batches between two snapshots. Equal on all nodes, or they cannot serve together. */
  readonly every: number;
  /** Number of snapshots that are retained. */
  readonly keep: number;
}

const BLOCK_BYTES_MAX = 160;
const INDEX = 'index';
const FOLDER_DIGITS = 16;
/** Links created at once: the store's writes share the disk's threads. */
const LINKS_AT_ONCE = 16;

const uint53 = new UintNumberType(8);
const checksumType = new ByteVectorType(CHECKSUM_BYTES);
const fileType = new ContainerType({ file: uint53, bytes: uint53, checksum: checksumType });
const snapshotType = new ContainerType({
  batch: uint53,
  checksum: checksumType,
  block: new ByteListType(BLOCK_BYTES_MAX),
  files: new ListCompositeType(fileType, HISTORY_MAX + 1),
});

export const stateSnapshotCodec = createCodec<
  StateSnapshot,
  Omit<StateSnapshot, 'block'> & { readonly block: Uint8Array }
>('state snapshot', snapshotType, snapshotType.maxSize, {
  toWire: (snapshot) => ({ ...snapshot, block: utf8(snapshot.block) }),
  fromWire: (wire) => ({ ...wire, block: fromUtf8(wire.block) }),
});

const folderOf = (directory: string, batch: number): string =>
  `${directory}/${String(batch).padStart(FOLDER_DIGITS, '0')}`;

/** The batch of the newest segment in the file. */
export function newestBatchOf({ batch }: StateSnapshot, { file }: SnapshotFile, history: number): number {
  return lastBatchOf(file % (history + 1), batch, history);
}

export interface Snapshots {
  /** Called after each commit, while nothing else changes the files. Takes a snapshot when one is due. */
  committed(committed: Pick<Committed, 'tip' | 'logs'>): Promise<void>;
}

export function createSnapshots(
  { disk, telemetry, source }: { readonly disk: Disk; readonly telemetry: Telemetry; readonly source: string },
  { directory, every, keep }: SnapshotPolicy,
): Snapshots {
  async function take({ tip, logs }: Pick<Committed, 'tip' | 'logs'>): Promise<void> {
    const folder = folderOf(directory, tip.batch);
    await removeFolder(disk, folder);
    await disk.makeDirectory(folder);
    const files = [...logs.file].flatMap((file, slot): SnapshotFile[] =>
      file < 0 ? [] : [{ file, bytes: logs.bytes[slot] as number, checksum: logs.tip[slot] as Uint8Array }],
    );
    for (let at = 0; at < files.length; at += LINKS_AT_ONCE) {
      const some = files.slice(at, at + LINKS_AT_ONCE).map(({ file }) => logName(file));
      await Promise.all(some.map((name) => disk.link(`${source}/${name}`, `${folder}/${name}`)));
    }
    const index = await disk.open(`${folder}/${INDEX}`, { create: true });
    const bytes = stateSnapshotCodec.encode({ ...tip, files });
    await index.write(0, [bytes, sha256(bytes)]);
    await index.sync();
    await index.close();
    await disk.syncDirectory(folder);
    for (const older of (await disk.list(directory)).slice(0, -keep)) await removeFolder(disk, `${directory}/${older}`);
    telemetry.gauge('state_snapshot_batch', tip.batch);
  }

  return {
    async committed(committed) {
      if (committed.tip.batch === 0 || committed.tip.batch % every !== 0) return;
      try {
        await take(committed);
      } catch (error) {
        // The store itself is sound, and peers can fetch a snapshot from another node.
        telemetry.log('warn', 'state: a snapshot could not be made', { error: String(error) });
      }
    },
  };
}

async function removeFolder(disk: Disk, folder: string): Promise<void> {
  const names = await disk.list(folder);
  // Index first: after a crash the folder counts as unfinished instead of lacking files.
  for (const name of [INDEX, ...names]) if (names.includes(name)) await disk.remove(`${folder}/${name}`);
  await disk.removeDirectory(folder);
}

/** Finished snapshots, newest first. Skips damaged indexes, because a peer that serves wrong data is blocked. */
export async function listSnapshots(disk: Disk, directory: string): Promise<readonly StateSnapshot[]> {
  const found: StateSnapshot[] = [];
  for (const name of (await disk.list(directory)).toReversed()) {
    const bytes = await disk.readWhole(`${directory}/${name}/${INDEX}`, stateSnapshotCodec.bytesMax + CHECKSUM_BYTES);
    const snapshot = bytes && readIndex(bytes);
    if (snapshot) found.push(snapshot);
  }
  return found;
}

function readIndex(sealed: Uint8Array): StateSnapshot | undefined {
  const bytes = sealed.subarray(0, -CHECKSUM_BYTES);
  if (!bytesEqual(sha256(bytes), sealed.subarray(-CHECKSUM_BYTES))) return undefined;
  const decoded = stateSnapshotCodec.decode(bytes);
  return decoded.ok ? decoded.value : undefined;
}

/** Bytes of a snapshot's file, never beyond its size in the snapshot; undefined when the file no longer exists. */
export async function readSnapshot(
  disk: Disk,
  directory: string,
  { batch, files }: StateSnapshot,
  file: number,
  offset: number,
  length: number,
): Promise<Uint8Array | undefined> {
  const found = files.find((each) => each.file === file);
  const path = `${folderOf(directory, batch)}/${logName(file)}`;
  if (found === undefined || offset >= found.bytes || (await disk.size(path)) === undefined) return undefined;
  const handle = await disk.open(path);
  try {
    return await handle.read(offset, Math.min(length, found.bytes - offset));
  } finally {
    await handle.close();
  }
}

/** Whether a fetched file matches the snapshot exactly. */
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

/** Turns a folder of fetched files into a store that openStateStore opens at the snapshot's batch. */
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
