/**
 * Reads retained chunks, in any thread. The index holds the place of a chunk, the record its checksum. A damaged chunk is not here, and the
 * log names it.
 */
import { type Disk, DiskError, type KeyValue, type Telemetry } from '@slipstream/ports';
import { bytesEqual, to0x } from '@slipstream/primitives';
import { RECORD_OVERHEAD_BYTES, segmentPath } from '@slipstream/records';
import { chunkOfRecord } from './chunk-record.ts';
import { CHUNK_ID_BYTES, type Location, locationIn } from './index-entries.ts';

export interface ChunkReader {
  /** Undefined when it is not here, or damaged. */
  get(chunkId: Uint8Array): Promise<Uint8Array | undefined>;
}

interface ChunkReaderComponents {
  readonly disk: Disk;
  /** Shared with the writer. */
  readonly index: Pick<KeyValue, 'get'>;
  readonly telemetry: Telemetry;
}

export function createChunkReader({ disk, index, telemetry }: ChunkReaderComponents, directory: string): ChunkReader {
  async function get(chunkId: Uint8Array): Promise<Uint8Array | undefined> {
    const value = await index.get(chunkId);
    if (value === undefined) return undefined;
    const location = locationIn(value);
    const chunk = location ? await readChunk(disk, directory, chunkId, location) : 'damaged';
    if (chunk instanceof Uint8Array) return chunk;
    // An entry may outlive its file after a power cut. A file that was lost is reported at the opening.
    if (chunk === 'no-file') return undefined;
    // Pruned, or written again, since the index was asked.
    const now = await index.get(chunkId);
    if (now === undefined) return undefined;
    if (!bytesEqual(now, value)) return get(chunkId);
    const place = location
      ? `${segmentPath(directory, 'chunk files', location.segment)} at offset ${location.offset}`
      : 'its entry in the index';
    telemetry.log(
      'error',
      `chunk ${to0x(chunkId)} is damaged on this disk (${place}): peers get it from other nodes`,
      {},
    );
    return undefined;
  }

  return { get };
}

/** A chunk has 2 MiB and some. An entry that says more is damaged, and no reason to allocate. */
export const CHUNK_BYTES_MAX = 4 * 1024 * 1024;

/** `no-file`: there is no such file any more. `damaged`: other bytes than a whole record of this chunk are there. */
export async function readChunk(
  disk: Disk,
  directory: string,
  chunkId: Uint8Array,
  { segment, offset, bytes }: Location,
): Promise<Uint8Array | 'no-file' | 'damaged'> {
  if (bytes > CHUNK_BYTES_MAX + RECORD_OVERHEAD_BYTES + CHUNK_ID_BYTES) return 'damaged';
  try {
    const file = await disk.open(segmentPath(directory, 'chunk files', segment));
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
