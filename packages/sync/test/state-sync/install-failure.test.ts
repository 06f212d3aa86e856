/** The disk refuses the swap. */
import type * as fileSystem from 'node:fs/promises';
import { DATA } from '@slipstream/node-home';
import { createDisk } from '@slipstream/platform';
import { silentTelemetry } from '@slipstream/ports';
import { openStateStore } from '@slipstream/state';
import { expect, test, vi } from 'vitest';
import { syncFolder } from '../../../../apps/node/src/storage/sync-folder.ts';
import { finishInstall } from '../../src/state-sync/install.ts';
import { GENESIS_HASH, olderFolder, PARAMETERS, snapshotChain, sourcesOf, takeOverInto } from './snapshot-chain.ts';

const refused = vi.hoisted(() => ({ name: '' }));
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof fileSystem>();
  return {
    ...real,
    async rename(from: string, to: string) {
      if (refused.name !== '' && to.endsWith(refused.name)) throw new Error('EIO: i/o error');
      return real.rename(from, to);
    },
  };
});

test.each([DATA.state, DATA.ledger])(
  'ends the node, since another attempt could be swapped partly (%s)',
  async (name) => {
    const chain = await snapshotChain(10);
    const { folder, remove } = await olderFolder();
    const disk = createDisk({ root: folder });
    refused.name = `/${name}`;
    const taken = takeOverInto(folder, sourcesOf(chain).sources, chain.manifest);
    await expect(taken).rejects.toMatchObject({
      code: 'swap-failed',
      message: expect.stringContaining('put in place'),
    });
    await expect(finishInstall(syncFolder(folder))).rejects.toMatchObject({ code: 'swap-failed' });
    refused.name = '';
    await finishInstall(syncFolder(folder));
    const { block } = chain.snapshot;
    const options = { directory: DATA.state, genesisHash: GENESIS_HASH, genesisBlock: block, parameters: PARAMETERS };
    const { store, recovered } = await openStateStore({ disk, telemetry: silentTelemetry }, options);
    expect(recovered).toMatchObject({ block, created: false });
    await store.close();
    await remove();
  },
);
