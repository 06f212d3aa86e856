/**
 * Chunks of committed blocks, appended to files. A file is removed once all its heights are pruned. The ledger's bodies of blocks are in such
 * files too (contents.ts), with the block's id for a chunk's.
 *
 *   put --> segment, synced --> index: chunk id -> segment, offset, bytes --> get, in any thread
 *   recover at opening: segments beyond the index --> index            forget, removeBelow --> whole segments
 *
 * A key-value store would rewrite chunks with each merge, so this one holds only their places, 60 bytes each. The index is not synced,
 * because it follows from the files. Segments (packages/records) are numbered from 1.
 *
 * INVARIANTS: an index entry is written after its record is synced. A segment is created after all before it are synced. After a
 * failed write or sync nothing more is written, because the disk's content is uncertain until the next opening.
 *
 * Source: Lu et al., "WiscKey: Separating Keys from Values in SSD-conscious Storage", FAST 2016.
 */
import { type Disk, DiskError, type KeyValue, type Random, type Telemetry } from '@slipstream/ports';
import { assert } from '@slipstream/primitives';
import { createSegment, NO_LOG_ID, newSegmentHeader, SEGMENT_HEADER_BYTES, segmentPath } from '@slipstream/records';
import { type ChunkReader, createChunkReader, readChunk } from './chunk-reader.ts';
import { encodeChunks, type KeptChunk } from './chunk-record.ts';
import { CHUNKS, type Contents } from './contents.ts';
import { deleteSegment, locationIn, putLocation, putSegment } from './index-entries.ts';
import { type OpenSegment, type Recovered, recover } from './recover.ts';

export interface ChunkFiles extends ChunkReader {
  /**
   * Resolves once the chunks survive a power cut. Idempotent, because a block may be executed again after a crash. Rejects with DiskError,
   * and from then on always.
   */
  put(height: number, chunks: readonly KeptChunk[]): Promise<void>;
  /** Removes index entries, unsynced. */
  forget(chunkIds: readonly Uint8Array[]): Promise<void>;
  /** Removes the files with only lower heights, and returns their number. */
  removeBelow(height: number): Promise<number>;
  /** Closes the index too. */
  close(): Promise<void>;
}

interface ChunkFilesComponents {
  readonly disk: Disk;
  /** For these files alone; other threads may read it. */
  readonly index: KeyValue;
  /** For the magic of each segment's records. */
  readonly random: Random;
  readonly telemetry: Telemetry;
}

export interface ChunkFilesOptions {
  readonly directory: string;
  /** 32 bytes. Opening fails for files of another chain. */
  readonly genesisHash: Uint8Array;
  readonly segmentBytesMax?: number;
  /** Default: chunks. */
  readonly contents?: Contents;
}

/** Bounds the pruned bytes that a file keeps on the disk. */
const SEGMENT_BYTES_MAX = 64 * 1024 * 1024;

/** Throws RecordsError `foreign` or `unknown-format`, and DiskError. */
export async function openChunkFiles(
  components: ChunkFilesComponents,
  { directory, genesisHash, segmentBytesMax = SEGMENT_BYTES_MAX, contents = CHUNKS }: ChunkFilesOptions,
): Promise<ChunkFiles> {
  const options = { directory, genesisHash, segmentBytesMax, contents };
  const recovered = await recover(components, options);
  return new SegmentedChunks(components, options, recovered);
}

/** Writes run one after another, as do removals. */
class SegmentedChunks implements ChunkFiles {
  readonly #components: ChunkFilesComponents;
  readonly #options: Required<ChunkFilesOptions>;
  readonly #reader: ChunkReader;
  /** Highest height in each segment, by number. */
  readonly #heights: Map<number, number>;
  #highestHeight: number;
  #current: OpenSegment | undefined;
  #nextNumber: number;
  #failure: unknown;
  #writing: Promise<unknown> = Promise.resolve();
  #removing: Promise<unknown> = Promise.resolve();

  constructor(components: ChunkFilesComponents, options: Required<ChunkFilesOptions>, recovered: Recovered) {
    const { heights, lastNumber, current } = recovered;
    this.#components = components;
    this.#options = options;
    this.#reader = createChunkReader(components, options.directory, options.contents);
    this.#heights = heights;
    this.#highestHeight = Math.max(0, ...heights.values());
    this.#current = current;
    this.#nextNumber = current === undefined ? lastNumber + 1 : current.number + 1;
  }

  get(chunkId: Uint8Array): Promise<Uint8Array | undefined> {
    return this.#reader.get(chunkId);
  }

  put(height: number, chunks: readonly KeptChunk[]): Promise<void> {
    const done = this.#writing.then(() => this.#write(height, chunks));
    this.#writing = done.catch(() => {});
    return done;
  }

  forget(chunkIds: readonly Uint8Array[]): Promise<void> {
    return this.#components.index.batch(chunkIds.map((key) => ({ type: 'delete' as const, key })));
  }

  removeBelow(height: number): Promise<number> {
    const done = this.#removing.then(() => this.#removeBelow(height));
    this.#removing = done.catch(() => {});
    return done;
  }

  async close(): Promise<void> {
    const { directory } = this.#options;
    this.#failure ??= new DiskError('closed', `the chunk files in ${directory} are closed`, { path: directory });
    await Promise.allSettled([this.#writing, this.#removing]);
    await this.#current?.file.close();
    await this.#components.index.close();
  }

  async #write(height: number, chunks: readonly KeptChunk[]): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    const fresh = height <= this.#highestHeight ? await this.#missing(chunks) : chunks;
    if (fresh.length === 0) return;
    try {
      await this.#append(height, fresh);
    } catch (error) {
      this.#failure = error;
      throw error;
    }
  }

  /** The chunks of a repeated height that are not stored whole. */
  async #missing(chunks: readonly KeptChunk[]): Promise<readonly KeptChunk[]> {
    const { disk, index } = this.#components;
    const { directory, contents } = this.#options;
    const values = await index.getMany(chunks.map(({ chunkId }) => chunkId));
    const isHere = async ({ chunkId }: KeptChunk, value: Uint8Array | undefined) => {
      if (value === undefined) return false;
      const location = locationIn(value);
      if (location === undefined) return false;
      return (await readChunk(disk, directory, contents, chunkId, location)) instanceof Uint8Array;
    };
    const here = await Promise.all(chunks.map((chunk, at) => isHere(chunk, values[at])));
    return chunks.filter((_, at) => !here[at]);
  }

  async #append(height: number, chunks: readonly KeptChunk[]): Promise<void> {
    const segment = await this.#segmentWithRoom();
    assert(
      chunks.every(({ bytes }) => bytes.length <= this.#options.contents.bytesMax),
      'a chunk fits into a record',
    );
    const { bytes, offsets } = encodeChunks(segment.magic, height, chunks);
    await segment.file.writeAndSync(segment.bytes, [bytes]);
    const operations = chunks.map(({ chunkId }, at) => {
      const [from, to] = [offsets[at] as number, offsets[at + 1] as number];
      return putLocation(chunkId, { segment: segment.number, offset: segment.bytes + from, bytes: to - from });
    });
    segment.bytes += bytes.length;
    this.#highestHeight = Math.max(this.#highestHeight, height);
    const highest = Math.max(height, this.#heights.get(segment.number) ?? 0);
    this.#heights.set(segment.number, highest);
    const entry = putSegment(segment.number, { indexedBytes: segment.bytes, highestHeight: highest });
    await this.#components.index.batch([...operations, entry]);
  }

  async #segmentWithRoom(): Promise<OpenSegment> {
    const { directory, genesisHash, segmentBytesMax, contents } = this.#options;
    if (this.#current !== undefined && this.#current.bytes < segmentBytesMax) return this.#current;
    if (this.#current !== undefined) await this.#endSegment(this.#current);
    const number = this.#nextNumber++;
    const fields = { store: contents.store, genesisHash, logId: NO_LOG_ID, firstSequence: number } as const;
    const header = newSegmentHeader(this.#components.random, fields);
    const file = await createSegment(this.#components.disk, directory, header);
    this.#current = { number, magic: header.recordMagic, file, bytes: SEGMENT_HEADER_BYTES };
    return this.#current;
  }

  /** Syncs the index, so that an opening after a power cut reads only one segment. */
  async #endSegment({ number, bytes, file }: OpenSegment): Promise<void> {
    const entry = putSegment(number, { indexedBytes: bytes, highestHeight: this.#heights.get(number) ?? 0 });
    await this.#components.index.batch([entry], { sync: true });
    await file.close();
  }

  /** Runs beside writes, because it never removes the current file. */
  async #removeBelow(height: number): Promise<number> {
    const { disk, index } = this.#components;
    const old = [...this.#heights].filter(([number, highest]) => highest < height && number !== this.#current?.number);
    for (const segment of old) {
      await removeSegment(disk, index, this.#options, segment);
      this.#heights.delete(segment[0]);
    }
    return old.length;
  }
}

/** Three steps, so that a power cut between them loses nothing and reports no loss. */
async function removeSegment(
  disk: Disk,
  index: KeyValue,
  { directory, contents }: Required<ChunkFilesOptions>,
  [number, highestHeight]: readonly [number: number, highestHeight: number],
): Promise<void> {
  // Synced: makes forgotten entries durable, and marks the file as pruned rather than lost.
  await index.batch([putSegment(number, { indexedBytes: 0, highestHeight, isRemoved: true })], { sync: true });
  await disk.remove(segmentPath(directory, contents.store, number));
  // Synced before the entry is deleted: otherwise a power cut could bring the file back, and recovery would index it again.
  await disk.syncDirectory(directory);
  await index.batch([deleteSegment(number)]);
}
