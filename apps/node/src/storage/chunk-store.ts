/**
 *   index valid --> files beyond it are indexed          damaged --> moved aside, reported, rebuilt from the files
 */
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type ChunkFiles, openChunkFiles } from '@slipstream/chunk-files';
import { DATA } from '@slipstream/node-home';
import { createDisk } from '@slipstream/platform';
import { DiskError, type KeyValue, type Random, type Telemetry } from '@slipstream/ports';
import type { GenesisHash } from '@slipstream/types';
import { openSealed, type Watch } from './seals/sealed-level.ts';

interface ChunkStoreComponents {
  readonly random: Random;
  readonly telemetry: Telemetry;
  /** While a node runs on the store. */
  readonly watch?: Watch;
}

/** Throws RecordsError `foreign`, `unknown-format`, and DiskError. */
export async function openChunks(
  folder: string,
  genesisHash: GenesisHash,
  { random, telemetry, watch }: ChunkStoreComponents,
): Promise<ChunkFiles> {
  const index = await openIndex(folder, telemetry, watch);
  return openChunkFiles(
    { disk: createDisk({ root: folder }), index, random, telemetry },
    { directory: DATA.chunkFiles, genesisHash },
  );
}

async function openIndex(folder: string, telemetry: Telemetry, watch?: Watch): Promise<KeyValue> {
  const location = join(folder, DATA.chunks);
  const aside = join(folder, DATA.chunksAside);
  const options = { location, shared: true, telemetry, ...(watch && { watch }) };
  try {
    return await openSealed(options);
  } catch (cause) {
    if (!(cause instanceof DiskError && cause.code === 'damaged')) throw cause;
    const { file = location } = cause.data;
    const message = `the index of chunks is damaged (${file}): it is now ${aside}, and is rebuilt from the chunk files`;
    telemetry.log('error', message, {});
    await rm(aside, { recursive: true, force: true });
    await rename(location, aside);
    return openSealed(options);
  }
}
