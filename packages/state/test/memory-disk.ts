/** A disk in memory that keeps everything at once: for tests in which nothing crashes. */
import { type Disk, DiskError, type DiskFile } from '@slipstream/ports';
import { concatBytes } from '@slipstream/primitives';

export function createMemoryDisk(
  files: Map<string, Uint8Array> = new Map(),
): Disk & { files: Map<string, Uint8Array> } {
  const contents = (path: string) => {
    const bytes = files.get(path);
    if (bytes === undefined) throw new DiskError('not-found', `${path} is missing`, { path });
    return bytes;
  };
  function handle(path: string): DiskFile {
    return {
      path,
      size: async () => contents(path).length,
      read: async (position, length) => contents(path).slice(position, position + length),
      async write(position, parts) {
        const added = concatBytes(...parts);
        const old = contents(path);
        const next = new Uint8Array(Math.max(old.length, position + added.length));
        next.set(old);
        next.set(added, position);
        files.set(path, next);
      },
      async truncate(bytes) {
        files.set(path, contents(path).slice(0, bytes));
      },
      sync: async () => {},
      close: async () => {},
    };
  }
  return {
    files,
    async open(path, options) {
      if (!files.has(path) && options?.create === true) files.set(path, new Uint8Array());
      contents(path);
      return handle(path);
    },
    async list(path) {
      const prefix = `${path}/`;
      const names = [...files.keys()].filter((name) => name.startsWith(prefix));
      return names.map((name) => name.slice(prefix.length)).sort();
    },
    size: async (path) => files.get(path)?.length,
    readWhole: async (path) => files.get(path)?.slice(),
    async rename(from, to) {
      files.set(to, contents(from));
      files.delete(from);
    },
    async link(from, to) {
      files.set(to, contents(from));
    },
    async remove(path) {
      files.delete(path);
    },
    makeDirectory: async () => {},
    removeDirectory: async () => {},
    syncDirectory: async () => {},
  };
}
