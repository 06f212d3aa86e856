/** A folder of a release that kept chunks in LevelDB: they are found, in each thread's way, until they are pruned. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createChunkReader } from '@slipstream/chunk-files';
import { silentTelemetry } from '@slipstream/ports';
import { asId, type GenesisHash } from '@slipstream/types';
import { expect, test } from 'vitest';
import { chunkOf } from '../../../packages/chunk-files/test/builders.ts';
import * as arrange from '../../../packages/execution/test/builders.ts';
import { openExecutorStores } from '../src/executor/stores.ts';
import { DATA } from '../src/folder/layout.ts';
import { createDisk, createRandom, openKeyValue } from '../src/world/index.ts';

test('chunks of an older folder are read where they are, beside those of the files', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'slipstream-older-'));
  const [old, younger] = [chunkOf(1, 5_000), chunkOf(2, 5_000)];
  const before = await openKeyValue({ location: join(folder, DATA.chunks) });
  await before.batch([{ type: 'put', key: old.chunkId, value: old.bytes }], { sync: true });
  await before.close();
  const genesisHash = asId<GenesisHash>(new Uint8Array(32).fill(7));
  const setting = {
    folder,
    genesis: arrange.genesis({ 1: 5n }),
    genesisHash,
    snapshots: undefined,
    ledgerIsChecked: false,
  };
  const stores = await openExecutorStores(setting, { random: createRandom(), telemetry: silentTelemetry });
  await stores.chunks.put(9, [younger]);
  const index = await openKeyValue({ location: join(folder, DATA.chunks), shared: true });
  const components = { disk: createDisk({ root: folder }), index, telemetry: silentTelemetry };
  const reader = createChunkReader(components, DATA.chunkFiles);
  for (const { get } of [stores.chunks, reader]) {
    expect(await get(old.chunkId)).toEqual(old.bytes);
    expect(await get(younger.chunkId)).toEqual(younger.bytes);
  }
  await stores.chunks.forget([old.chunkId]);
  expect(await reader.get(old.chunkId)).toBeUndefined();
  expect(await reader.get(younger.chunkId)).toEqual(younger.bytes);
  await index.close();
  await stores.close();
  await rm(folder, { recursive: true });
});
