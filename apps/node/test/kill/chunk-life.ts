/** Chunk files on the real disk with their index: blocks with two chunks each, the oldest pruned. */
import { join } from 'node:path';
import { type ChunkFiles, openChunkFiles } from '@slipstream/chunk-files';
import { createRandom, openKeyValue } from '@slipstream/platform';
import { type Disk, silentTelemetry } from '@slipstream/ports';
import { blockOf } from '../../../../packages/chunk-files/test/builders.ts';

export const HEIGHTS = 60;
export const KEPT_HEIGHTS = 15;
/** Four blocks. */
const SEGMENT_BYTES_MAX = 1_800;
const CHUNK_BYTES = 200;

export const chunksOf = (height: number) => blockOf(height, CHUNK_BYTES);

export async function openFiles(root: string, disk: Disk, logged: string[] = []): Promise<ChunkFiles> {
  const index = await openKeyValue({ location: join(root, 'chunks'), shared: true });
  const telemetry = { ...silentTelemetry, log: (_: unknown, message: string) => void logged.push(message) };
  const options = { directory: 'chunk-files', genesisHash: new Uint8Array(32), segmentBytesMax: SEGMENT_BYTES_MAX };
  return openChunkFiles({ disk, index, random: createRandom(), telemetry }, options);
}

/** Continues above a height, as a node that executes the newest block again. `kept` gets each durable height. */
export async function live(files: ChunkFiles, above: number, kept: (height: number) => void): Promise<void> {
  for (let height = Math.max(1, above); height <= HEIGHTS; height++) {
    await files.put(height, chunksOf(height));
    kept(height);
    const old = height - KEPT_HEIGHTS;
    if (old < 1) continue;
    await files.forget(chunksOf(old).map(({ chunkId }) => chunkId));
    await files.removeBelow(old + 1);
  }
}
