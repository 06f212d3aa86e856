/**
 * The data folder of state sync on a simulated disk. A key-value store is no file there: its folder holds a file with the store's name, which
 * moves with the folder and loses power like any other.
 */
import type { KeyValue } from '@slipstream/ports';
import { utf8 } from '@slipstream/primitives';
import type { NodeWorld } from '@slipstream/simulator';
import type { DataFolder } from '@slipstream/sync/state-sync';

export const PATHS = {
  state: 'state',
  ledger: 'ledger',
  blockFiles: 'block-files',
  staging: 'sync',
  snapshots: 'snapshots',
  chunkIndex: 'chunks',
  chunkFiles: 'chunk-files',
} as const;

const STORE = 'store';
const NAME_BYTES_MAX = 64;

export function simulatedFolder({
  disk,
  keyValue,
  incarnation,
}: Pick<NodeWorld, 'disk' | 'keyValue' | 'incarnation'>): DataFolder {
  let created = 0;

  async function write(path: string, bytes: Uint8Array): Promise<void> {
    const file = await disk.open(path, { create: true });
    await file.write(0, [bytes]);
    await file.sync();
    await file.close();
  }

  async function removeFolder(path: string): Promise<void> {
    for (const name of await disk.list(path)) {
      const each = `${path}/${name}`;
      if ((await disk.size(each)) === undefined) await removeFolder(each);
      else await disk.remove(each);
    }
    await disk.syncDirectory(path).catch(() => {}); // it never existed
  }

  /** Renamed file by file: a mark tells the next start that the new files are no old ones. */
  async function replaceFolder(from: string, to: string): Promise<void> {
    const mark = `${from}.moving`;
    await disk.makeDirectory(to);
    if ((await disk.size(mark)) === undefined) {
      await removeFolder(to);
      await write(mark, utf8(to));
      await disk.syncDirectory(PATHS.staging);
    }
    for (const name of await disk.list(from)) await disk.rename(`${from}/${name}`, `${to}/${name}`);
    await disk.syncDirectory(to);
    await disk.syncDirectory(from);
  }

  async function openLedgerStore(path: string): Promise<KeyValue> {
    const file = `${path}/${STORE}`;
    const known = await disk.readWhole(file, NAME_BYTES_MAX);
    if (known !== undefined && known.length > 0) return keyValue(new TextDecoder().decode(known));
    const name = `${path} ${incarnation} ${created++}`;
    await disk.makeDirectory(path);
    await write(file, utf8(name));
    await disk.syncDirectory(path);
    return keyValue(name);
  }

  return {
    disk,
    paths: { ...PATHS, outdated: [PATHS.snapshots, PATHS.blockFiles, PATHS.chunkIndex, PATHS.chunkFiles] },
    exists: async (path) => (await disk.size(path)) !== undefined || (await disk.list(path)).length > 0,
    replaceFolder,
    removeFolder,
    openLedgerStore,
    freeBytes: async () => Number.MAX_SAFE_INTEGER,
  };
}
