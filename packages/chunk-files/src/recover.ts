/**
 * Recovery at opening: indexes what the files hold beyond the index, and cuts off a torn tail.
 *
 * The index is synced at a segment's end, so a kill leaves it a block behind, a power cut a segment. Batches reach it in order, so a
 * segment is indexed completely when there is an entry of a later one. Recovery reads part of one file, rarely of two, and all files when
 * the index is lost.
 */
import type { Disk, DiskFile, KeyValue, KeyValueOperation, Telemetry } from '@slipstream/ports';
import {
  checkSegmentHeader,
  listSegments,
  readSegmentHeader,
  SEGMENT_HEADER_BYTES,
  type SegmentHeader,
  type SegmentName,
  scanRecords,
  segmentPath,
} from '@slipstream/records';
import { chunkIn } from './chunk-record.ts';
import type { Contents } from './contents.ts';
import { deleteSegment, putLocation, putSegment, readSegments, type SegmentEntry } from './index-entries.ts';

/** The segment that is written to. */
export interface OpenSegment {
  readonly number: number;
  readonly magic: number;
  readonly file: DiskFile;
  bytes: number;
}

export interface Recovered {
  /** Highest height in each segment, by number. */
  readonly heights: Map<number, number>;
  /** The highest number ever used. */
  readonly lastNumber: number;
  /** Undefined when no segment can be continued. */
  readonly current: OpenSegment | undefined;
}

interface RecoverComponents {
  readonly disk: Disk;
  readonly index: KeyValue;
  readonly telemetry: Telemetry;
}

interface RecoverOptions {
  readonly directory: string;
  readonly genesisHash: Uint8Array;
  readonly contents: Contents;
}

/** Throws RecordsError `foreign` or `unknown-format`; then nothing was changed. */
export async function recover(components: RecoverComponents, options: RecoverOptions): Promise<Recovered> {
  const { disk, index, telemetry } = components;
  const { directory, contents } = options;
  await disk.makeDirectory(directory);
  const entries = await readSegments(index);
  await finishRemovals(components, options, entries);
  const names = await segmentsIn(components, options);
  const present = new Set(names.map(({ firstSequence }) => firstSequence));
  const newestEntry = Math.max(0, ...entries.keys());
  const unsure = names.filter(({ firstSequence: number }) => !entries.has(number) || number >= newestEntry);
  if (unsure.length > 2) telemetry.log('info', `${contents.store}: ${unsure.length} are being indexed again`, {});
  const heights = new Map<number, number>();
  for (const [number, { highestHeight }] of entries) if (present.has(number)) heights.set(number, highestHeight);
  let current: OpenSegment | undefined;
  for (const name of unsure) {
    const isNewest = name === names.at(-1);
    const entry = entries.get(name.firstSequence);
    const segment = await recoverSegment(components, options, name, entry, isNewest);
    if (isNewest) current = segment;
    else await segment?.file.close();
    heights.set(name.firstSequence, segment?.highestHeight ?? entry?.highestHeight ?? Math.max(0, ...heights.values()));
    if (segment !== undefined) continue;
    // The entry prevents a second report, and lets removeBelow remove the file.
    const given = { indexedBytes: 0, ...entry, highestHeight: heights.get(name.firstSequence) as number };
    await index.batch([putSegment(name.firstSequence, given)]);
  }
  const gone = [...entries].filter(([number]) => !present.has(number));
  for (const [number, { isRemoved, indexedBytes }] of gone) {
    const path = segmentPath(directory, contents.store, number);
    // A file with only a header holds nothing: `segmentsIn` removes it.
    if (!isRemoved && indexedBytes > SEGMENT_HEADER_BYTES)
      telemetry.log('error', damageIn(contents, path, 0, 'the file is missing'), {});
  }
  if (gone.length > 0) await index.batch(gone.map(([number]) => deleteSegment(number)));
  return { heights, lastNumber: Math.max(newestEntry, names.at(-1)?.firstSequence ?? 0), current };
}

/** Removes files whose removal a crash interrupted. */
async function finishRemovals(
  { disk }: RecoverComponents,
  { directory, contents }: RecoverOptions,
  entries: ReadonlyMap<number, SegmentEntry>,
): Promise<void> {
  const names = await listSegments(disk, directory, contents.store);
  const left = names.filter(({ firstSequence }) => entries.get(firstSequence)?.isRemoved === true);
  for (const { path } of left) await disk.remove(path);
  if (left.length > 0) await disk.syncDirectory(directory);
}

/** The segments, without a newest one whose creation was interrupted. */
async function segmentsIn(
  { disk }: RecoverComponents,
  { directory, contents }: RecoverOptions,
): Promise<readonly SegmentName[]> {
  const names = await listSegments(disk, directory, contents.store);
  const newest = names.at(-1);
  if (newest === undefined || ((await disk.size(newest.path)) ?? 0) > SEGMENT_HEADER_BYTES) return names;
  await disk.remove(newest.path);
  await disk.syncDirectory(directory);
  return names.slice(0, -1);
}

/** Undefined when the segment is damaged. */
async function recoverSegment(
  { disk, index, telemetry }: RecoverComponents,
  options: RecoverOptions,
  name: SegmentName,
  entry: SegmentEntry | undefined,
  isNewest: boolean,
): Promise<(OpenSegment & { readonly highestHeight: number }) | undefined> {
  const { path, firstSequence: number } = name;
  const { contents } = options;
  const file = await disk.open(path);
  const size = await file.size();
  const header = headerOf(await file.read(0, SEGMENT_HEADER_BYTES), name, options);
  const from = Math.max(entry?.indexedBytes ?? 0, SEGMENT_HEADER_BYTES);
  if (header === undefined || size < from) {
    await file.close();
    const what = header === undefined ? 'its header is damaged' : `it has ${size} bytes, and had ${from}`;
    telemetry.log('error', damageIn(contents, path, 0, what), {});
    return undefined;
  }
  const scanned = scan(await file.read(from, size - from), { path, number, magic: header.recordMagic, from });
  const { end, operations, damage } = scanned;
  if (end < size && isNewest) {
    await file.truncate(end);
    telemetry.log('warn', `${contents.store}: cut a torn tail off ${path}`, { bytes: size - end });
  } else if (end < size) {
    damage.push(end);
  }
  for (const offset of damage) telemetry.log('error', damageIn(contents, path, offset, 'bytes are damaged'), {});
  // A killed process may have left unsynced writes, which count as durable from here on.
  await file.sync();
  const highestHeight = Math.max(entry?.highestHeight ?? 0, scanned.highestHeight);
  await index.batch([...operations, putSegment(number, { indexedBytes: end, highestHeight })]);
  return { number, magic: header.recordMagic, file, bytes: end, highestHeight };
}

/** Undefined when it is damaged. */
function headerOf(
  bytes: Uint8Array,
  name: SegmentName,
  { genesisHash, contents }: RecoverOptions,
): SegmentHeader | undefined {
  const header = readSegmentHeader(bytes, name.path, contents.store);
  if (header === undefined || header.firstSequence !== name.firstSequence) return undefined;
  checkSegmentHeader(header, name.path, { genesisHash, logId: header.logId });
  return header;
}

interface ScanOf {
  readonly path: string;
  readonly number: number;
  readonly magic: number;
  /** Offset of the bytes in the file. */
  readonly from: number;
}

/** The whole records, and the offsets of damage before one of them. `end` is behind the last record. */
function scan(bytes: Uint8Array, { number, magic, from }: ScanOf) {
  const operations: KeyValueOperation[] = [];
  const damage: number[] = [];
  let [end, highestHeight] = [from, 0];
  for (const item of scanRecords(bytes, 0, magic)) {
    if (item.type === 'damage') continue;
    const offset = from + item.offset;
    if (offset > end) damage.push(end);
    const chunk = chunkIn(item);
    if (chunk === undefined) damage.push(offset);
    // A copy, because the entry outlives the segment's bytes.
    else operations.push(putLocation(chunk.chunkId.slice(), { segment: number, offset, bytes: item.bytes }));
    end = offset + item.bytes;
    highestHeight = Math.max(highestHeight, item.sequence);
  }
  return { operations, damage, end, highestHeight };
}

function damageIn({ store, whenDamaged }: Contents, path: string, offset: number, what: string): string {
  return `${store}: ${what} in ${path} at offset ${offset}: what was there is not here any more, ${whenDamaged}`;
}
