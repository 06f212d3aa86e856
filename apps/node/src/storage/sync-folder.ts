import { rename, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { DATA } from '@slipstream/node-home';
import { createDisk } from '@slipstream/platform';
import { type DataFolder, stagedPaths } from '@slipstream/sync/state-sync';
import { openSealed } from './seals/sealed-level.ts';

const PATHS = {
  state: DATA.state,
  ledger: DATA.ledger,
  staging: DATA.sync,
  outdated: [DATA.snapshots, DATA.blockFiles, DATA.chunks, DATA.chunkFiles, DATA.chunksAside],
};

export const STAGED = stagedPaths(PATHS);

/** Absolute path. */
export function syncFolder(folder: string): DataFolder {
  const removeFolder = (path: string) => rm(join(folder, path), { recursive: true, force: true });
  return {
    disk: createDisk({ root: folder }),
    paths: PATHS,
    exists: (path) =>
      stat(join(folder, path)).then(
        () => true,
        () => false,
      ),
    async replaceFolder(from, to) {
      await removeFolder(to);
      await rename(join(folder, from), join(folder, to));
    },
    removeFolder,
    openLedgerStore: (path) => openSealed({ location: join(folder, path) }),
    async freeBytes() {
      const { bavail, bsize } = await statfs(folder);
      return bavail * bsize;
    },
  };
}
