/** Sends this process SIGKILL before or after the NTH call of an operation on files whose path contains PATH. */
import type { Disk, DiskFile } from '@slipstream/ports';

/** `death`: OPERATION PATH NTH before|after. */
export function deadlyDisk(disk: Disk, [operation, path = '', nth, when]: readonly string[]): Disk {
  let left = Number(nth);

  async function at<T>(name: string, on: string, work: () => Promise<T>): Promise<T> {
    const dies = name === operation && on.includes(path) && --left === 0;
    if (dies && when === 'before') process.kill(process.pid, 'SIGKILL');
    const result = await work();
    if (dies) process.kill(process.pid, 'SIGKILL');
    return result;
  }

  function deadlyFile(file: DiskFile): DiskFile {
    const deadly: DiskFile = {
      path: file.path,
      size: () => file.size(),
      read: (position, length) => file.read(position, length),
      write: (position, parts) => at('write', file.path, () => file.write(position, parts)),
      truncate: (bytes) => at('truncate', file.path, () => file.truncate(bytes)),
      sync: () => at('sync', file.path, () => file.sync()),
      /** Two steps, so that it can die between them. */
      async writeAndSync(position, parts) {
        await deadly.write(position, parts);
        await deadly.sync();
      },
      close: () => file.close(),
    };
    return deadly;
  }

  return {
    ...disk,
    open: async (name, options) => deadlyFile(await disk.open(name, options)),
    remove: (name) => at('remove', name, () => disk.remove(name)),
    syncDirectory: (name) => at('sync-directory', name, () => disk.syncDirectory(name)),
  };
}
