/** The open log files: at most history + 1, and those being replaced. */
import type { Disk, DiskFile } from '@slipstream/ports';
import type { Chain } from '../parameters.ts';
import { encodeFileHeader, logName } from './format.ts';
import type { LogTable } from './log-table.ts';
import { createPreallocation } from './preallocation.ts';

/** A segment and its place in a log. */
interface PlacedSegment {
  readonly batch: number;
  readonly slot: number;
  /** The batch begins a new file. */
  readonly begins: boolean;
  readonly offset: number;
  readonly bytes: Uint8Array;
  readonly logs: LogTable;
}

export interface LogFiles {
  pathOf(file: number): string;
  get(file: number): Promise<DiskFile>;
  /** Writes a segment and syncs the file. With `syncNames` also syncs the folder. */
  write(segment: PlacedSegment, options: { readonly syncNames: boolean }): Promise<void>;
  /** Starts to preallocate behind the end of a log. */
  preallocate(file: number, end: number, bytes: number): void;
  /** Durably removes what `write` wrote. */
  unwrite(segment: PlacedSegment): Promise<void>;
  remove(file: number): Promise<void>;
  /** Makes created and removed names durable. */
  syncNames(): Promise<void>;
  close(): Promise<void>;
}

/** A segment is written in pieces: the system delays a single larger write until earlier data is on the disk. */
const PIECE_BYTES = 1_048_576;

/**
 * Writes and syncs. A sync starts after pieces 1, 3, 7, ..., so that the disk works during the next writes. Rejects only after all syncs
 * have ended.
 */
async function writeDurably(file: DiskFile, position: number, head: Uint8Array, bytes: Uint8Array): Promise<void> {
  const syncs: Promise<void>[] = [];
  let failure: unknown;
  const failed = (cause: unknown) => {
    failure ??= cause;
  };
  const sync = () => void syncs.push(file.sync().catch(failed));
  let syncedAt = PIECE_BYTES;
  try {
    await file.write(position, [head, bytes.subarray(0, PIECE_BYTES)]);
    for (let at = PIECE_BYTES; at < bytes.length; at += PIECE_BYTES) {
      if (at === syncedAt) {
        sync();
        syncedAt = 2 * at + PIECE_BYTES;
      }
      await file.write(position + head.length + at, [bytes.subarray(at, at + PIECE_BYTES)]);
    }
    sync();
  } finally {
    await Promise.all(syncs);
  }
  if (failure !== undefined) throw failure;
}

const NO_HEAD = new Uint8Array();

export function createLogFiles(disk: Disk, directory: string, { genesisHash, parameters }: Chain): LogFiles {
  const open = new Map<number, DiskFile>();
  const pathOf = (file: number) => `${directory}/${logName(file)}`;

  async function get(file: number, create = false): Promise<DiskFile> {
    const known = open.get(file);
    if (known !== undefined) return known;
    const opened = await disk.open(pathOf(file), { create });
    open.set(file, opened);
    return opened;
  }

  const preallocation = createPreallocation(get);

  async function remove(file: number): Promise<void> {
    await preallocation.stop();
    preallocation.removed(file);
    const opened = open.get(file);
    open.delete(file);
    await opened?.close();
    await disk.remove(pathOf(file));
  }

  return {
    pathOf,
    get: (file) => get(file),
    remove,
    preallocate: preallocation.preallocate,
    syncNames: () => disk.syncDirectory(directory),
    async write({ begins, batch, logs, slot, offset, bytes }, { syncNames }) {
      const file = logs.file[slot] as number;
      const handle = await get(file, begins);
      await preallocation.stop();
      const header = encodeFileHeader({ genesisHash, history: parameters.history, file: batch });
      if (begins) await writeDurably(handle, 0, header, bytes);
      else await writeDurably(handle, offset, NO_HEAD, bytes);
      await preallocation.finish();
      preallocation.written(file, offset + bytes.length);
      if (begins && syncNames) await disk.syncDirectory(directory);
    },
    async unwrite({ begins, batch, logs, slot, offset }) {
      if (begins) {
        await remove(batch);
        await disk.syncDirectory(directory);
        return;
      }
      const file = logs.file[slot] as number;
      const handle = await get(file);
      await preallocation.stop();
      preallocation.removed(file);
      await handle.truncate(offset);
      await handle.sync();
    },
    async close() {
      await preallocation.close();
      for (const handle of open.values()) await handle.close();
      open.clear();
    },
  };
}
