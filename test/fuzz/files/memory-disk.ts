/** A disk in memory over unchanged files: a case costs only what it touches. */
import { type Disk, DiskError, type DiskFile } from '@slipstream/ports';
import type { Files } from './folder.ts';

export function memoryDisk(original: Files): Disk {
  /** Undefined: removed. */
  const changed = new Map<string, Uint8Array | undefined>();
  const find = (path: string) => (changed.has(path) ? changed.get(path) : original.get(path));
  const paths = () => [...new Set([...original.keys(), ...changed.keys()])].filter((path) => find(path) !== undefined);

  function there(path: string): Uint8Array {
    const bytes = find(path);
    if (bytes === undefined) throw new DiskError('not-found', `there is no ${path}`, { path });
    return bytes;
  }

  function open(path: string): DiskFile {
    const file: DiskFile = {
      path,
      size: async () => there(path).length,
      read: async (position, length) => there(path).slice(position, position + length),
      async write(position, parts) {
        const before = there(path);
        const end = position + parts.reduce((sum, { length }) => sum + length, 0);
        const bytes = new Uint8Array(Math.max(before.length, end));
        bytes.set(before);
        let at = position;
        for (const part of parts) {
          bytes.set(part, at);
          at += part.length;
        }
        changed.set(path, bytes);
      },
      async truncate(length) {
        const bytes = new Uint8Array(length);
        bytes.set(there(path).subarray(0, length));
        changed.set(path, bytes);
      },
      async sync() {},
      writeAndSync: (position, parts) => file.write(position, parts),
      async close() {},
    };
    return file;
  }

  return {
    async open(path, { create = false } = {}) {
      if (create && find(path) === undefined) changed.set(path, new Uint8Array(0));
      there(path);
      return open(path);
    },
    async list(folder) {
      const prefix = folder === '' ? '' : `${folder}/`;
      const names = paths().flatMap((path) => (path.startsWith(prefix) ? path.slice(prefix.length).split('/')[0] : []));
      return [...new Set(names as string[])].sort();
    },
    size: async (path) => find(path)?.length,
    async readWhole(path, bytesMax) {
      const bytes = find(path);
      if (bytes !== undefined && bytes.length > bytesMax) {
        const size = bytes.length;
        throw new DiskError('too-large', `${path} has ${size} bytes, at most ${bytesMax} are read`, { path, size });
      }
      return bytes?.slice();
    },
    async rename(from, to) {
      changed.set(to, there(from));
      changed.set(from, undefined);
    },
    async link(from, to) {
      changed.set(to, there(from));
    },
    async remove(path) {
      changed.set(path, undefined);
    },
    async makeDirectory() {},
    async removeDirectory() {},
    async syncDirectory() {},
  };
}
