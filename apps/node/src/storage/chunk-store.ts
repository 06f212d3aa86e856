/**
 * Chunks of committed blocks, opened by whoever writes them: files, and an index of these in LevelDB.
 *
 *   index sound --> files beyond it are indexed          damaged --> set aside, told, made anew from the files
 *
 * What releases before the files kept in LevelDB itself is set aside with it, and peers have it.
 */
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type ChunkFiles, openChunkFiles } from '@slipstream/chunk-files';
import { DiskError, type KeyValue, type Random, type Telemetry } from '@slipstream/ports';
import type { GenesisHash } from '@slipstream/types';
import { DATA } from '../folder/layout.ts';
import { createDisk, openKeyValue } from '../world/index.ts';
import { tellingTorn } from './torn-tail.ts';

/** Throws RecordsError `foreign` or `unknown-format` of the files, DiskError of the disk. */
export async function openChunks(
  folder: string,
  genesisHash: GenesisHash,
  { random, telemetry }: { readonly random: Random; readonly telemetry: Telemetry },
): Promise<ChunkFiles> {
  const index = await openIndex(folder, telemetry);
  return openChunkFiles(
    { disk: createDisk({ root: folder }), index, random, telemetry },
    { directory: DATA.chunkFiles, genesisHash },
  );
}

async function openIndex(folder: string, telemetry: Telemetry): Promise<KeyValue> {
  const location = join(folder, DATA.chunks);
  const aside = join(folder, DATA.chunksAside);
  // Not all of its batches are synced. One that a power cut took although two are behind it costs the index, and no chunk.
  const check = { isSynced: () => true, onTorn: tellingTorn(telemetry) };
  try {
    return await openKeyValue({ location, shared: true, check });
  } catch (cause) {
    if (!(cause instanceof DiskError && cause.code === 'damaged')) throw cause;
    const { file, offset } = cause.data;
    const message =
      `the index of chunks is damaged (${file} at offset ${offset}): it is now ${aside}, ` +
      'and is made anew from the chunk files';
    telemetry.log('error', message, {});
    await rm(aside, { recursive: true, force: true });
    await rename(location, aside);
    return openKeyValue({ location, shared: true, check });
  }
}
