/** A disk that measures its syncs, because each signature waits for one. */
import type { Disk, DiskFile } from '@slipstream/ports';

export interface SyncReport {
  readonly ms: number;
  /** Written since the last sync. */
  readonly bytes: number;
}

export function timedDisk(disk: Disk, nowMs: () => number, synced: (report: SyncReport) => void): Disk {
  function timed(file: DiskFile): DiskFile {
    let bytes = 0;
    async function report(action: () => Promise<void>, more: number): Promise<void> {
      const startMs = nowMs();
      const written = bytes;
      await action();
      bytes -= written;
      synced({ ms: nowMs() - startMs, bytes: written + more });
    }
    return {
      ...file,
      async write(position, parts) {
        await file.write(position, parts);
        bytes += lengthOf(parts);
      },
      sync: () => report(file.sync, 0),
      writeAndSync: (position, parts) => report(() => file.writeAndSync(position, parts), lengthOf(parts)),
    };
  }
  return { ...disk, open: async (path, options) => timed(await disk.open(path, options)) };
}

function lengthOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}
