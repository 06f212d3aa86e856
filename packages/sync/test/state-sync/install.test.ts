/** What an interrupted state sync leaves in the data folder. */
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DATA } from '@slipstream/node-home';
import { afterEach, expect, it } from 'vitest';
import { STAGED, syncFolder } from '../../../../apps/node/src/storage/sync-folder.ts';
import { finishInstall } from '../../src/state-sync/install.ts';

const folders: string[] = [];

afterEach(async () => {
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true, force: true })));
});

/** A file of this name in each folder. */
async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'slipstream-install-'));
  folders.push(folder);
  for (const [path, name] of Object.entries(files)) {
    await mkdir(join(folder, path), { recursive: true });
    await writeFile(join(folder, path, name), '');
  }
  return folder;
}

const OLD = {
  [DATA.state]: 'old',
  [DATA.ledger]: 'old',
  [DATA.blockFiles]: 'old',
  [DATA.chunks]: 'old',
  [DATA.chunkFiles]: 'old',
  [DATA.snapshots]: 'old',
};
const NEW = { [STAGED.state]: 'new', [STAGED.ledger]: 'new' };

it('swaps ready files, and removes all earlier blocks, which would never be pruned', async () => {
  const folder = await folderWith({ ...OLD, ...NEW, [DATA.wal]: 'log' });
  await writeFile(join(folder, STAGED.ready), '');
  await finishInstall(syncFolder(folder));
  expect((await readdir(folder)).sort()).toEqual([DATA.ledger, DATA.state, DATA.wal].sort());
  expect(await readdir(join(folder, DATA.state))).toEqual(['new']);
  expect(await readdir(join(folder, DATA.ledger))).toEqual(['new']);
});

it('continues a swap that a crash interrupted', async () => {
  const folder = await folderWith({ ...OLD, [DATA.state]: 'new', [STAGED.ledger]: 'new' });
  await writeFile(join(folder, STAGED.ready), '');
  await finishInstall(syncFolder(folder));
  expect(await readdir(join(folder, DATA.state))).toEqual(['new']);
  expect(await readdir(join(folder, DATA.ledger))).toEqual(['new']);
});

it('changes no file before all are ready', async () => {
  const folder = await folderWith({ ...OLD, ...NEW });
  await finishInstall(syncFolder(folder));
  expect(await readdir(join(folder, DATA.chunks))).toEqual(['old']);
  expect(await readdir(join(folder, STAGED.state))).toEqual(['new']);
});
