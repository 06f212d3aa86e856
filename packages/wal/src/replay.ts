/**
 * Replay: finds the surviving records and the torn tail, and detects corruption.
 *
 * A crash may lose any subset of the unsynced bytes, so whole records may follow holes. Durable sequences are proven by the durableSequence
 * of a later whole record, the name of a later segment (segment.ts of packages/records), and the sign state (`knownDurableSequence`).
 *
 *   records ... whole | damage | whole ...
 *                     ^ above all that was proven durable: cut here. At or below: corruption, and nothing is changed.
 */
import type { Disk } from '@slipstream/ports';
import { type Durable, declareDurable } from '@slipstream/primitives';
import {
  checkSegmentHeader,
  listSegments,
  readSegmentHeader,
  SEGMENT_HEADER_BYTES,
  type SegmentHeader,
  type SegmentName,
  scanRecords,
  type WholeRecord,
} from '@slipstream/records';
import { corrupt } from './errors.ts';
import { kindOfByte, type RecordKind } from './record-kinds.ts';

export interface WalRecord {
  readonly sequence: number;
  readonly kind: RecordKind;
  /** The log was synced when it was opened. */
  readonly payload: Durable<Uint8Array>;
}

export interface ReplayOptions {
  readonly genesisHash: Uint8Array;
  /** From the sign state; 0 when it proves nothing. */
  readonly knownDurableSequence: number;
}

interface ReplayedSegment extends SegmentName {
  readonly header: SegmentHeader;
  readonly bytes: number;
}

export interface Replay {
  readonly segments: readonly ReplayedSegment[];
  /** 0 when the log is empty. */
  readonly lastSequence: number;
  readonly tornBytesCut: number;
  /** Whole records behind the tear. */
  readonly recordsCut: number;
}

/**
 * Checks the log and durably cuts a torn tail. Reads each file once, one at a time.
 * Throws WalError `corrupt`, RecordsError `foreign` or `unknown-format`; then nothing was changed.
 */
export async function replayLog(disk: Disk, directory: string, options: ReplayOptions): Promise<Replay> {
  const names = await listSegments(disk, directory, 'log');
  const last = names.at(-1);
  const provenSequence = Math.max(options.knownDurableSequence, last === undefined ? 0 : last.firstSequence - 1);
  const segments: ReplayedSegment[] = [];
  let cut = { bytes: 0, records: 0 };
  let lastSequence = (names[0]?.firstSequence ?? 1) - 1;
  for (const name of names) {
    if (name.firstSequence !== lastSequence + 1) {
      throw corrupt(name.path, 0, `records ${lastSequence + 1} to ${name.firstSequence - 1} are missing`);
    }
    const bytes = await readSegment(disk, name);
    const header = readSegmentHeader(bytes, name.path, 'log');
    if (header === undefined) {
      if (bytes.length > SEGMENT_HEADER_BYTES || name !== last || name.firstSequence <= options.knownDurableSequence) {
        throw corrupt(name.path, 0, 'the segment header is damaged');
      }
      await removeTornSegment(disk, directory, name);
      cut = { bytes: cut.bytes + bytes.length, records: cut.records };
      continue;
    }
    const logId = segments[0]?.header.logId ?? header.logId;
    checkSegmentHeader(header, name.path, { genesisHash: options.genesisHash, logId });
    if (header.firstSequence !== name.firstSequence) {
      throw corrupt(name.path, 0, `a header for sequence ${header.firstSequence}, which the name denies`);
    }
    const scanned = scanSegment(bytes, { ...name, header }, provenSequence);
    lastSequence = scanned.lastSequence;
    if (scanned.end < bytes.length) {
      if (name !== last)
        throw corrupt(name.path, scanned.end, 'bytes that are no record stand before the next segment');
      await cutTail(disk, name, scanned.end);
      cut = { bytes: bytes.length - scanned.end, records: scanned.recordsBehind };
    }
    segments.push({ ...name, header, bytes: scanned.end });
  }
  return { segments, lastSequence, tornBytesCut: cut.bytes, recordsCut: cut.records };
}

interface ScannedSegment {
  /** End of the last good record. */
  readonly end: number;
  readonly lastSequence: number;
  readonly recordsBehind: number;
}

function scanSegment(
  bytes: Uint8Array,
  segment: SegmentName & { readonly header: SegmentHeader },
  provenSequence: number,
): ScannedSegment {
  let expected = segment.firstSequence;
  let end = SEGMENT_HEADER_BYTES;
  let recordsBehind = 0;
  let claimed = provenSequence;
  let torn = false;
  for (const item of scanRecords(bytes, SEGMENT_HEADER_BYTES, segment.header.recordMagic)) {
    if (item.type === 'record' && !torn && item.sequence === expected) {
      checkRecord(item, segment.path);
      expected++;
      end = item.offset + item.bytes;
      continue;
    }
    torn = true;
    if (item.type === 'record') {
      recordsBehind++;
      claimed = Math.max(claimed, item.durableSequence);
    }
  }
  if (torn && expected <= claimed) {
    throw corrupt(segment.path, end, `record ${expected}, which was durable, is damaged`, { sequence: expected });
  }
  return { end, lastSequence: expected - 1, recordsBehind };
}

function checkRecord(record: WholeRecord, path: string): void {
  if (kindOfByte(record.kindByte) === undefined) {
    const what = `a whole record of the unknown kind ${record.kindByte} (a newer version of this program wrote it)`;
    throw corrupt(path, record.offset, what, { sequence: record.sequence, kindByte: record.kindByte });
  }
  if (record.durableSequence >= record.sequence) {
    throw corrupt(path, record.offset, `record ${record.sequence} claims to rest on ${record.durableSequence}`);
  }
}

/**
 * Yields the records from sequence `from` on, with one segment in memory at a time; payloads are copies. Throws WalError `corrupt` when a
 * file changed since the replay.
 */
export async function* readRecords(disk: Disk, replay: Replay, from: number): AsyncGenerator<WalRecord> {
  for (const [index, segment] of replay.segments.entries()) {
    const next = replay.segments[index + 1];
    if (next !== undefined && next.firstSequence <= from) continue;
    const bytes = (await readSegment(disk, segment)).subarray(0, segment.bytes);
    let expected = segment.firstSequence;
    for (const item of scanRecords(bytes, SEGMENT_HEADER_BYTES, segment.header.recordMagic)) {
      const kind = item.type === 'record' ? kindOfByte(item.kindByte) : undefined;
      if (item.type !== 'record' || kind === undefined || item.sequence !== expected) {
        throw corrupt(segment.path, item.offset, 'a record changed after it was checked');
      }
      if (expected >= from) yield { sequence: item.sequence, kind, payload: declareDurable(item.payload.slice()) };
      expected++;
    }
  }
}

export async function readSegment(disk: Disk, segment: SegmentName): Promise<Uint8Array> {
  const file = await disk.open(segment.path);
  try {
    return await file.read(0, await file.size());
  } finally {
    await file.close();
  }
}

async function cutTail(disk: Disk, segment: SegmentName, end: number): Promise<void> {
  const file = await disk.open(segment.path);
  try {
    await file.truncate(end);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function removeTornSegment(disk: Disk, directory: string, segment: SegmentName): Promise<void> {
  await disk.remove(segment.path);
  await disk.syncDirectory(directory);
}
