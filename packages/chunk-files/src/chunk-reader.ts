/** Reads retained chunks through the index, in any thread. Logs damaged chunks. */
import { type Disk, DiskError, type KeyValue, type Telemetry } from '@slipstream/ports';
import { bytesEqual, to0x } from '@slipstream/primitives';
import { RECORD_OVERHEAD_BYTES, segmentPath } from '@slipstream/records';
import { chunkOfRecord } from './chunk-record.ts';
import { CHUNKS, type Contents } from './contents.ts';
import { CHUNK_ID_BYTES, type Location, locationIn } from './index-entries.ts';

export interface ChunkReader {
  /** Undefined when the chunk is missing or damaged. */
  get(chunkId: Uint8Array): Promise<Uint8Array | undefined>;
}

interface ChunkReaderComponents {
  readonly disk: Disk;
  /** Shared with the writer. */
  readonly index: Pick<KeyValue, 'get'>;
  readonly telemetry: Telemetry;
}

export function createChunkReader(
  { disk, index, telemetry }: ChunkReaderComponents,
  directory: string,
  contents: Contents = CHUNKS,
): ChunkReader {
  async function get(chunkId: Uint8Array): Promise<Uint8Array | undefined> {
    const value = await index.get(chunkId);
    if (value === undefined) return undefined;
    const location = locationIn(value);
    const chunk = location ? await readChunk(disk, directory, contents, chunkId, location) : 'damaged';
    if (chunk instanceof Uint8Array) return chunk;
    // After a power cut an entry may outlive its file, which recovery reports.
    if (chunk === 'no-file') return undefined;
    // It may have been pruned or rewritten meanwhile.
    const now = await index.get(chunkId);
    if (now === undefined) return undefined;
    if (!bytesEqual(now, value)) return get(chunkId);
    const place = location
      ? `${segmentPath(directory, contents.store, location.segment)} at offset ${location.offset}`
      : 'its entry in the index';
    telemetry.log(
      'error',
      `${contents.entry} ${to0x(chunkId)} is damaged on this disk (${place}): ${contents.whenDamaged}`,
      {},
    );
    return undefined;
  }

  return { get };
}

/** `damaged`: the bytes are not a whole record of this chunk. */
export async function readChunk(
  disk: Disk,
  directory: string,
  { store, bytesMax }: Contents,
  chunkId: Uint8Array,
  { segment, offset, bytes }: Location,
): Promise<Uint8Array | 'no-file' | 'damaged'> {
  if (bytes > bytesMax + RECORD_OVERHEAD_BYTES + CHUNK_ID_BYTES) return 'damaged';
  try {
    const file = await disk.open(segmentPath(directory, store, segment));
    try {
      return chunkOfRecord(await file.read(offset, bytes), chunkId) ?? 'damaged';
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof DiskError && error.code === 'not-found') return 'no-file';
    throw error;
  }
}
