/**
 * Chunks of committed blocks: appended to files that are removed whole, once every height in them is pruned.
 *
 *   put --> segment, synced --> index: chunk id -> segment, offset, bytes --> get, in any thread
 *   recover at opening: segments beyond the index --> index            forget, removeBelow --> whole segments
 *
 * A key-value store that holds the chunks themselves writes them again with each of its merges; here it holds 60 bytes a chunk. It is not
 * synced, since it follows from the files. Segments (packages/records) are numbered from 1; the next one begins when one is
 * full.
 *
 * INVARIANTS: an entry of the index is written after its record is synced. A segment is made after all before it is synced.
 * After a failed write or sync nothing more is written, since what is on the disk is uncertain: the next opening finds out.
 *
 * Source: Lu et al., "WiscKey: Separating Keys from Values in SSD-conscious Storage", FAST 2016.
 */
import { type Disk, DiskError, type KeyValue, type Random, type Telemetry } from '@slipstream/ports';
import { assert } from '@slipstream/primitives';
import { createSegment, NO_LOG_ID, newSegmentHeader, SEGMENT_HEADER_BYTES, segmentPath } from '@slipstream/records';
import { CHUNK_BYTES_MAX, type ChunkReader, createChunkReader, readChunk } from './chunk-reader.ts';
import { encodeChunks, type KeptChunk } from './chunk-record.ts';
import { deleteSegment, locationIn, putLocation, putSegment } from './index-entries.ts';
import { type OpenSegment, recover } from './recover.ts';

export interface ChunkFiles extends ChunkReader {
  /**
   * The chunks of a block are in the files, and survive a power cut, when the promise settles. Idempotent: a block that is executed
   * again after a crash finds its own here. Rejects with DiskError, and from then on always.
   */
  put(height: number, chunks: readonly KeptChunk[]): Promise<void>;
  /** They are not here any more. Not synced. */
  forget(chunkIds: readonly Uint8Array[]): Promise<void>;
  /** Removes files that hold only what is below this height. Returns how many went. */
  removeBelow(height: number): Promise<number>;
  /** Closes the index too. */
  close(): Promise<void>;
}

interface ChunkFilesComponents {
  readonly disk: Disk;
  /** For these files alone; other threads may read it. */
  readonly index: KeyValue;
  /** Draws the magic of each segment's records. */
  readonly random: Random;
  readonly telemetry: Telemetry;
}

export interface ChunkFilesOptions {
  readonly directory: string;
  /** 32 bytes: files of another chain are refused. */
  readonly genesisHash: Uint8Array;
  readonly segmentBytesMax?: number;
}

/** What is pruned stays on the disk until its file goes: so much more at most. At 2,200 transactions a second one is full in 2 minutes. */
const SEGMENT_BYTES_MAX = 64 * 1024 * 1024;

/** Throws RecordsError `foreign` or `unknown-format`, and DiskError. */
export async function openChunkFiles(
  { disk, index, random, telemetry }: ChunkFilesComponents,
  { directory, genesisHash, segmentBytesMax = SEGMENT_BYTES_MAX }: ChunkFilesOptions,
): Promise<ChunkFiles> {
  const { heights, lastNumber, current: found } = await recover({ disk, index, telemetry }, { directory, genesisHash });
  const reader = createChunkReader({ disk, index, telemetry }, directory);
  let current: OpenSegment | undefined = found;
  let nextNumber = found === undefined ? lastNumber + 1 : found.number + 1;
  let highestHeight = Math.max(0, ...heights.values());
  let failure: unknown;
  let writing: Promise<unknown> = Promise.resolve();
  let removing: Promise<unknown> = Promise.resolve();

  async function write(height: number, chunks: readonly KeptChunk[]): Promise<void> {
    if (failure !== undefined) throw failure;
    const fresh = height <= highestHeight ? await missing(chunks) : chunks;
    if (fresh.length === 0) return;
    try {
      await append(height, fresh);
    } catch (error) {
      failure = error;
      throw error;
    }
  }

  /** Of a height that was put before: those that are not here, whole. */
  async function missing(chunks: readonly KeptChunk[]): Promise<readonly KeptChunk[]> {
    const values = await index.getMany(chunks.map(({ chunkId }) => chunkId));
    const isHere = async ({ chunkId }: KeptChunk, value: Uint8Array | undefined) => {
      if (value === undefined) return false;
      const location = locationIn(value);
      if (location === undefined) return false;
      return (await readChunk(disk, directory, chunkId, location)) instanceof Uint8Array;
    };
    const here = await Promise.all(chunks.map((chunk, at) => isHere(chunk, values[at])));
    return chunks.filter((_, at) => !here[at]);
  }

  async function append(height: number, chunks: readonly KeptChunk[]): Promise<void> {
    const segment = await segmentWithRoom();
    assert(
      chunks.every(({ bytes }) => bytes.length <= CHUNK_BYTES_MAX),
      'a chunk fits into a record',
    );
    const { bytes, offsets } = encodeChunks(segment.magic, height, chunks);
    await segment.file.writeAndSync(segment.bytes, [bytes]);
    const operations = chunks.map(({ chunkId }, at) => {
      const [from, to] = [offsets[at] as number, offsets[at + 1] as number];
      return putLocation(chunkId, { segment: segment.number, offset: segment.bytes + from, bytes: to - from });
    });
    segment.bytes += bytes.length;
    highestHeight = Math.max(highestHeight, height);
    const highest = Math.max(height, heights.get(segment.number) ?? 0);
    heights.set(segment.number, highest);
    const entry = putSegment(segment.number, { indexedBytes: segment.bytes, highestHeight: highest });
    await index.batch([...operations, entry]);
  }

  async function segmentWithRoom(): Promise<OpenSegment> {
    if (current !== undefined && current.bytes < segmentBytesMax) return current;
    if (current !== undefined) await endSegment(current);
    const number = nextNumber++;
    const fields = { store: 'chunk files', genesisHash, logId: NO_LOG_ID, firstSequence: number } as const;
    const header = newSegmentHeader(random, fields);
    const file = await createSegment(disk, directory, header);
    current = { number, magic: header.recordMagic, file, bytes: SEGMENT_HEADER_BYTES };
    return current;
  }

  /** The index is synced, so that a power cut leaves one segment to be read at the next opening, and not many. */
  async function endSegment({ number, bytes, file }: OpenSegment): Promise<void> {
    const entry = putSegment(number, { indexedBytes: bytes, highestHeight: heights.get(number) ?? 0 });
    await index.batch([entry], { sync: true });
    await file.close();
  }

  /** Beside what is written: the file that is written to is never removed. */
  async function removeBelow(height: number): Promise<number> {
    const old = [...heights].filter(([number, highest]) => highest < height && number !== current?.number);
    for (const segment of old) {
      await removeSegment(disk, index, directory, segment);
      heights.delete(segment[0]);
    }
    return old.length;
  }

  async function close(): Promise<void> {
    failure ??= new DiskError('closed', `the chunk files in ${directory} are closed`, { path: directory });
    await Promise.allSettled([writing, removing]);
    await current?.file.close();
    await index.close();
  }

  return {
    get: reader.get,
    put(height, chunks) {
      const done = writing.then(() => write(height, chunks));
      writing = done.catch(() => {});
      return done;
    },
    forget: (chunkIds) => index.batch(chunkIds.map((key) => ({ type: 'delete' as const, key }))),
    removeBelow(height) {
      const done = removing.then(() => removeBelow(height));
      removing = done.catch(() => {});
      return done;
    },
    close,
  };
}

/** In three steps, so that a power cut between them loses nothing and reports no loss. */
async function removeSegment(
  disk: Disk,
  index: KeyValue,
  directory: string,
  [number, highestHeight]: readonly [number: number, highestHeight: number],
): Promise<void> {
  // Synced: it makes what was forgotten durable, and tells a pruned file from a lost one.
  await index.batch([putSegment(number, { indexedBytes: 0, highestHeight, isRemoved: true })], { sync: true });
  await disk.remove(segmentPath(directory, 'chunk files', number));
  // Synced before the entry goes: a power cut could bring the file back, and it would be indexed again.
  await disk.syncDirectory(directory);
  await index.batch([deleteSegment(number)]);
}
