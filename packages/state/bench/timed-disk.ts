/** A disk that adds up how long writes and syncs take. */
import type { Disk, DiskFile } from '@slipstream/ports';

export interface DiskTimes {
  writeMs: number;
  syncMs: number;
  /** All other calls: opening, renaming, removing, listing. */
  restMs: number;
}

export interface TimedDisk {
  readonly disk: Disk;
  readonly times: DiskTimes;
}

export function timeDisk(disk: Disk): TimedDisk {
  const times: DiskTimes = { writeMs: 0, syncMs: 0, restMs: 0 };

  async function charge<T>(to: keyof DiskTimes, work: Promise<T>): Promise<T> {
    const startMs = performance.now();
    try {
      return await work;
    } finally {
      times[to] += performance.now() - startMs;
    }
  }

  function wrapFile(file: DiskFile): DiskFile {
    return {
      path: file.path,
      size: () => file.size(),
      read: (position, length) => file.read(position, length),
      write: (position, parts) => charge('writeMs', file.write(position, parts)),
      truncate: (bytes) => charge('restMs', file.truncate(bytes)),
      sync: () => charge('syncMs', file.sync()),
      close: () => file.close(),
    };
  }

  const wrapped: Disk = {
    ...disk,
    open: async (path, options) => wrapFile(await charge('restMs', disk.open(path, options))),
    remove: (path) => charge('restMs', disk.remove(path)),
    rename: (from, to) => charge('restMs', disk.rename(from, to)),
    syncDirectory: (path) => charge('syncMs', disk.syncDirectory(path)),
  };
  return { disk: wrapped, times };
}
