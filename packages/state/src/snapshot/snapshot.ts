/**
 * Snapshots: the log files of one committed batch, linked beside the store, for nodes that join.
 *
 *   <directory>/<batch>/0000000000000257.log ...    hard links: no copy, and they survive a compaction
 *   <directory>/<batch>/index                       written last, with its SHA-256: a folder without a sound one is unfinished
 *
 * Log files only grow, so a link and a size are a frozen copy. All nodes take snapshots of the same batches with the same bytes (V1), so a
 * node may fetch from many peers.
 */
import type { Disk } from '@slipstream/ports';
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
import { BLOCK_BYTES_MAX } from '../journal/journal-format.ts';
import { CHECKSUM_BYTES, logName } from '../log/format.ts';
import { lastBatchOf } from '../log/log-table.ts';
import { HISTORY_MAX } from '../parameters.ts';

export interface SnapshotFile {
  readonly file: number;
  /** Bytes of the file that belong to the snapshot. */
  readonly bytes: number;
  /** Checksum of the newest batch in the file: covers all bytes. */
  readonly checksum: Uint8Array;
}

export interface StateSnapshot {
  readonly batch: number;
  readonly checksum: Uint8Array;
  readonly block: string;
  readonly files: readonly SnapshotFile[];
}

export const INDEX = 'index';
const FOLDER_DIGITS = 16;

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

export const folderOf = (directory: string, batch: number): string =>
  `${directory}/${String(batch).padStart(FOLDER_DIGITS, '0')}`;

/** Batch of the newest segment in the file. */
export function newestBatchOf({ batch }: StateSnapshot, { file }: SnapshotFile, history: number): number {
  return lastBatchOf(file % (history + 1), batch, history);
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

/** Reads a snapshot's file, never beyond its size in the snapshot; undefined when the file no longer exists. */
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
