/** A disk whose syncs are timed: how long what carries a signature waits for the platters. */
import type { Disk, DiskFile } from '@slipstream/ports';

export interface SyncReport {
  readonly ms: number;
  /** Written since the sync before. */
  readonly bytes: number;
}

export function timedDisk(disk: Disk, nowMs: () => number, synced: (report: SyncReport) => void): Disk {
  function timed(file: DiskFile): DiskFile {
    let bytes = 0;
    return {
      ...file,
      async write(position, parts) {
        await file.write(position, parts);
        for (const part of parts) bytes += part.length;
      },
      async sync() {
        const startMs = nowMs();
        const written = bytes;
        await file.sync();
        bytes -= written;
        synced({ ms: nowMs() - startMs, bytes: written });
      },
    };
  }
  return { ...disk, open: async (path, options) => timed(await disk.open(path, options)) };
}
