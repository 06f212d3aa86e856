/** The open log files of a store: each is opened once and kept open (at most history + 1, and those being replaced). */
import type { Disk, DiskFile } from '@slipstream/ports';
import { encodeFileHeader, logName } from './format.ts';
import type { Overlay } from './overlay.ts';
import type { Chain } from './prepare.ts';

export interface LogFiles {
  pathOf(file: number): string;
  get(file: number): Promise<DiskFile>;
  /**
   * Writes a prepared batch where it belongs, and syncs the file; `syncNames` also its entry in the folder. Calls `beside`
   * while the disk writes, and again while it syncs, with the share of other work that should be done by then.
   */
  write(
    overlay: Overlay,
    options: { readonly syncNames: boolean; readonly beside?: (share: number) => void },
  ): Promise<void>;
  /** Takes off what `write` wrote, durably. */
  unwrite(overlay: Overlay): Promise<void>;
  remove(file: number): Promise<void>;
  /** Makes created and removed names durable. */
  syncNames(): Promise<void>;
  close(): Promise<void>;
}

/** Of the work beside the disk, what goes beside the write: that takes a third of the time of the sync. */
const WRITE_SHARE = 1 / 4;

async function during(disk: Promise<void>, work: () => void): Promise<void> {
  try {
    work();
  } finally {
    await disk;
  }
}

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

  async function remove(file: number): Promise<void> {
    const opened = open.get(file);
    open.delete(file);
    await opened?.close();
    await disk.remove(pathOf(file));
  }

  return {
    pathOf,
    get: (file) => get(file),
    remove,
    syncNames: () => disk.syncDirectory(directory),
    async write({ begins, batch, logs, slot, offset, bytes }, { syncNames, beside = () => {} }) {
      const handle = await get(logs.file[slot] as number, begins);
      const header = encodeFileHeader({ genesisHash, history: parameters.history, file: batch });
      const written = begins ? handle.write(0, [header, bytes]) : handle.write(offset, [bytes]);
      await during(written, () => beside(WRITE_SHARE));
      await during(handle.sync(), () => beside(1));
      if (begins && syncNames) await disk.syncDirectory(directory);
    },
    async unwrite({ begins, batch, logs, slot, offset }) {
      if (begins) {
        await remove(batch);
        await disk.syncDirectory(directory);
        return;
      }
      const handle = await get(logs.file[slot] as number);
      await handle.truncate(offset);
      await handle.sync();
    },
    async close() {
      for (const handle of open.values()) await handle.close();
      open.clear();
    },
  };
}
