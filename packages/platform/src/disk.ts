/**
 * The real disk: one folder of the machine, which no path leaves. `makeDirectory` is durable; files and names follow the port's rules
 * (sync, syncDirectory).
 */
import { constants, type Stats } from 'node:fs';
import * as fs from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type Disk, DiskError, type DiskFile } from '@slipstream/ports';
import { call, systemCodeOf } from './disk-errors.ts';
import { createDiskFile } from './disk-file.ts';

/** Only the owner may read keys and logs. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

interface DiskOptions {
  readonly root: string;
}

export function createDisk(options: DiskOptions): Disk {
  const root = resolve(options.root);

  function within(path: string): string {
    if (path === '') return root;
    const parts = path.split('/');
    if (parts.some((part) => part === '' || part === '.' || part === '..' || /[\0\\]/.test(part))) {
      throw new DiskError('permission', `"${path}" is no path below the root`, { path });
    }
    return join(root, ...parts);
  }

  async function sizeOf(path: string): Promise<number | undefined> {
    const stats = await unlessMissing<Stats | undefined>(fs.stat(within(path)), undefined);
    return stats?.isFile() ? stats.size : undefined;
  }

  async function readWhole(path: string, bytesMax: number): Promise<Uint8Array | undefined> {
    const size = await sizeOf(path);
    if (size === undefined) return undefined;
    if (size > bytesMax) {
      throw new DiskError('too-large', `${path} has ${size} bytes, at most ${bytesMax} are read`, { path, size });
    }
    const file = await openFile(path, constants.O_RDONLY);
    try {
      return await file.read(0, size);
    } finally {
      await file.close();
    }
  }

  async function openFile(path: string, flags: number): Promise<DiskFile> {
    const absolute = within(path);
    const openSynced = () => fs.open(absolute, constants.O_WRONLY | constants.O_DSYNC);
    return createDiskFile(await fs.open(absolute, flags, FILE_MODE), path, openSynced);
  }

  async function makeDirectory(path: string): Promise<void> {
    const target = within(path);
    const firstMade = await fs.mkdir(target, { recursive: true, mode: FOLDER_MODE });
    if (firstMade === undefined) return;
    const above = dirname(firstMade);
    for (let folder = target; folder !== above; ) {
      folder = dirname(folder);
      await syncFolder(folder);
    }
  }

  return {
    open: (path, { create = false } = {}) =>
      call('open', path, () => openFile(path, constants.O_RDWR | (create ? constants.O_CREAT : 0))),
    list: (path) => call('list', path, async () => (await unlessMissing(fs.readdir(within(path)), [])).sort()),
    size: (path) => call('size', path, () => sizeOf(path)),
    readWhole: (path, bytesMax) => call('read', path, () => readWhole(path, bytesMax)),
    rename: (from, to) => call('rename', from, async () => fs.rename(within(from), within(to))),
    link: (from, to) => call('link', from, async () => fs.link(within(from), within(to))),
    remove: (path) => call('remove', path, async () => unlessMissing(fs.unlink(within(path)), undefined)),
    makeDirectory: (path) => call('make-directory', path, () => makeDirectory(path)),
    removeDirectory: (path) =>
      call('remove-directory', path, async () => unlessMissing(fs.rmdir(within(path)), undefined)),
    syncDirectory: (path) => call('sync-directory', path, async () => syncFolder(within(path))),
  };
}

async function syncFolder(absolute: string): Promise<void> {
  const handle = await fs.open(absolute, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function unlessMissing<T>(answer: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await answer;
  } catch (cause) {
    if (systemCodeOf(cause) === 'ENOENT') return otherwise;
    throw cause;
  }
}
