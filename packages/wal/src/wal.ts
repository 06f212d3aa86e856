/**
 * Write-ahead log: what a node must make durable before it sends.
 *
 *   openWal --> replay (repair or fail) --> records --> append --> Durable --> prune --> close
 *
 * INVARIANT: a statement is `Durable` only when its record and every record before it survive a power cut. Of unsynced records a crash
 * leaves a prefix: no record survives one before it.
 *
 * Source: the project's consensus design, "Durability"; Pillai et al., "All File Systems Are Not Created Equal", 2014.
 */
import type { Clock, Disk, DiskFile, Random, Telemetry } from '@slipstream/ports';
import { toHex } from '@slipstream/primitives';
import {
  createSegment,
  LOG_ID_BYTES,
  newSegmentHeader,
  RecordsError,
  SEGMENT_HEADER_BYTES,
  type SegmentHeader,
  type SegmentName,
  segmentPath,
} from '@slipstream/records';
import { WalError } from './errors.ts';
import type { Wal } from './log.ts';
import { type Replay, readRecords, replayLog, type WalRecord } from './replay.ts';
import { createWriter, type WriterStart } from './writer.ts';

const MIB = 1024 * 1024;

const WAL_DEFAULTS = {
  /** Larger segments delay a start, which reads them whole; smaller ones rotate too often (three syncs each). */
  segmentBytesMax: 4 * MIB,
  /** Fits any block payload or chunk. */
  recordBytesMax: 4 * MIB,
  /** Bytes appended and not yet written. A disk that is this far behind counts as failed. */
  pendingBytesMax: 64 * MIB,
} as const;

interface WalComponents {
  readonly clock: Pick<Clock, 'after'>;
  readonly disk: Disk;
  /** For the log's id and each segment's magic. */
  readonly random: Random;
  readonly telemetry: Telemetry;
}

export interface WalOptions {
  readonly directory: string;
  /** 32 bytes. Opening fails for a log of another chain. */
  readonly genesisHash: Uint8Array;
  /** `logSequence` of the sign state: damage at or below it is corruption. */
  readonly knownDurableSequence?: number;
  readonly segmentBytesMax?: number;
  readonly recordBytesMax?: number;
  readonly pendingBytesMax?: number;
}

interface WalReport {
  /** 16 random hex digits, by which the sign state tells a new log from the old one. */
  readonly logId: string;
  /** This call created the log. */
  readonly created: boolean;
  readonly firstSequence: number;
  readonly lastSequence: number;
  readonly segments: number;
  readonly tornBytesCut: number;
  readonly recordsCut: number;
}

export interface OpenedWal {
  readonly wal: Wal;
  /** The replayed records, in order, one segment in memory at a time. Iterable repeatedly, until the first prune. */
  readonly records: AsyncIterable<WalRecord>;
  readonly report: WalReport;
}

/** Opens or creates the log of a folder. Throws WalError `corrupt` or `write-failed`, RecordsError `foreign` or `unknown-format`. */
export async function openWal(components: WalComponents, options: WalOptions): Promise<OpenedWal> {
  const { disk, telemetry } = components;
  const { directory } = options;
  const { replay, start } = await replayAndStart(components, options).catch((cause: unknown) => {
    if (cause instanceof WalError || cause instanceof RecordsError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new WalError('write-failed', `opening the log in ${directory} failed: ${reason}`, { directory }, cause);
  });
  const report = reportOf(replay, start);
  if (replay.tornBytesCut > 0) telemetry.log('warn', 'cut a torn tail off the log', { directory, ...report });
  const wal = createWriter(components, { ...WAL_DEFAULTS, ...options }, start);
  const records = { [Symbol.asyncIterator]: () => readRecords(disk, replay, 0) };
  return { wal, records, report };
}

async function replayAndStart(
  components: WalComponents,
  { directory, genesisHash, knownDurableSequence = 0 }: WalOptions,
): Promise<{ readonly replay: Replay; readonly start: WriterStart }> {
  const { disk } = components;
  await disk.makeDirectory(directory);
  const replay = await replayLog(disk, directory, { genesisHash, knownDurableSequence });
  const last = replay.segments.at(-1);
  if (last === undefined) return { replay, start: await createLog(components, directory, genesisHash) };
  const file = await disk.open(last.path);
  await file.sync(); // a killed process may have left unsynced writes, which count as durable from here on
  await disk.syncDirectory(directory);
  const { header, bytes: fileBytes } = last;
  return { replay, start: { segments: replay.segments, header, file, fileBytes, lastSequence: replay.lastSequence } };
}

async function createLog(
  { disk, random }: WalComponents,
  directory: string,
  genesisHash: Uint8Array,
): Promise<WriterStart> {
  const logId = random.bytes(LOG_ID_BYTES);
  const header: SegmentHeader = newSegmentHeader(random, { store: 'log', genesisHash, logId, firstSequence: 1 });
  const file: DiskFile = await createSegment(disk, directory, header);
  const segments: readonly SegmentName[] = [{ path: segmentPath(directory, 'log', 1), firstSequence: 1 }];
  return { segments, header, file, fileBytes: SEGMENT_HEADER_BYTES, lastSequence: 0 };
}

function reportOf(replay: Replay, start: WriterStart): WalReport {
  return {
    logId: toHex(start.header.logId),
    created: replay.segments.length === 0,
    firstSequence: start.segments[0]?.firstSequence ?? 1,
    lastSequence: start.lastSequence,
    segments: start.segments.length,
    tornBytesCut: replay.tornBytesCut,
    recordsCut: replay.recordsCut,
  };
}
