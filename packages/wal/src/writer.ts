/**
 * Writer: appends records to segments in order, with one fdatasync for many records.
 *
 *   append --> batch per segment --> write, synced --> durableSequence, waiters
 *              (decided at once)     \_ one at a time _/
 *
 * A sync call joins the running sync when that covers all appended records, and otherwise shares the next one. The first failure
 * poisons the writer, because the page cache is unreliable after a failed write or fsync: nothing more is written or reported durable.
 */

import type { Disk, DiskFile, Random, Telemetry } from '@slipstream/ports';
import { assert } from '@slipstream/primitives';
import {
  createSegment,
  encodeRecord,
  newSegmentHeader,
  RECORD_OVERHEAD_BYTES,
  type RecordFields,
  SEGMENT_HEADER_BYTES,
  type SegmentHeader,
  type SegmentName,
  segmentPath,
} from '@slipstream/records';
import { WalError } from './errors.ts';
import type { Wal } from './log.ts';
import { durabilityOf, RECORD_KIND_BYTES, type RecordKind } from './record-kinds.ts';

/** This many pending bytes are written without a request, so that a crash of the process alone loses little. */
const WRITE_AHEAD_BYTES = 256 * 1024;

export interface WriterComponents {
  readonly disk: Disk;
  readonly random: Random;
  readonly telemetry: Telemetry;
}

interface WriterOptions {
  readonly directory: string;
  readonly segmentBytesMax: number;
  readonly recordBytesMax: number;
  readonly pendingBytesMax: number;
}

/** The last segment, open and fully synced. */
export interface WriterStart {
  readonly segments: readonly SegmentName[];
  readonly header: SegmentHeader;
  readonly file: DiskFile;
  readonly fileBytes: number;
  readonly lastSequence: number;
}

export type Writer = Wal;

/** Records for one segment, in order. */
interface Batch {
  /** Set when the batch opens a new segment. */
  readonly opens: SegmentHeader | undefined;
  readonly parts: Uint8Array[];
}

interface Waiter {
  readonly promise: Promise<void>;
  resolve(): void;
  reject(error: WalError): void;
}

export function createWriter(components: WriterComponents, options: WriterOptions, start: WriterStart): Writer {
  const { disk, random, telemetry } = components;
  const { directory, segmentBytesMax, recordBytesMax, pendingBytesMax } = options;
  const segments: SegmentName[] = [...start.segments];
  const stats = { syncs: 0, bytes: 0, records: 0 };
  let lastSequence = start.lastSequence;
  let durableSequence = start.lastSequence;
  /** The last appended record of durability `synced`. */
  let syncDueSequence = 0;

  // Appended and not yet passed to the disk.
  let header = start.header;
  let plannedBytes = start.fileBytes;
  let pending: Batch[] = [];
  let pendingBytes = 0;
  let unwrittenBytes = 0;

  // Written.
  let file = start.file;
  let fileBytes = start.fileBytes;

  let failure: WalError | undefined;
  let closing: Promise<void> | undefined;
  let pumping: Promise<void> | undefined;
  let current: { readonly upTo: number; readonly waiter: Waiter } | undefined;
  let nextSync: Waiter | undefined;
  let nextFlush: Waiter | undefined;

  /** The highest request since the running removal began. */
  let pruneBelow = 0;
  let pruning: Promise<number> | undefined;

  function append(kind: RecordKind, payload: Uint8Array): number {
    refuseWhenUnusable();
    const durability = durabilityOf(kind);
    const bytes = RECORD_OVERHEAD_BYTES + payload.length;
    if (bytes > recordBytesMax) {
      const message = `a ${kind} record of ${bytes} bytes is above the log's maximum of ${recordBytesMax}`;
      throw new WalError('record-too-large', message, { kind, bytes, recordBytesMax });
    }
    if (unwrittenBytes + bytes > pendingBytesMax) {
      const message = `${unwrittenBytes} bytes wait to be written to the log: the disk does not keep up`;
      throw new WalError('backlog-full', message, { unwrittenBytes, pendingBytesMax });
    }
    const sequence = lastSequence + 1;
    const batch = batchFor(bytes, sequence);
    batch.parts.push(recordOf(header, { sequence, durableSequence, payload }, kind));
    lastSequence = sequence;
    if (durability === 'synced') syncDueSequence = sequence;
    plannedBytes += bytes;
    pendingBytes += bytes;
    unwrittenBytes += bytes;
    stats.records++;
    if (pendingBytes >= WRITE_AHEAD_BYTES) void pump();
    return sequence;
  }

  /** The open batch, or one that begins a new segment when the record does not fit. */
  function batchFor(bytes: number, sequence: number): Batch {
    const open = pending.at(-1);
    const rotate = plannedBytes + bytes > segmentBytesMax && plannedBytes > SEGMENT_HEADER_BYTES;
    if (open !== undefined && !rotate) return open;
    if (rotate) {
      header = newSegmentHeader(random, { ...start.header, firstSequence: sequence });
      plannedBytes = SEGMENT_HEADER_BYTES;
    }
    const batch: Batch = { opens: rotate ? header : undefined, parts: [] };
    pending.push(batch);
    return batch;
  }

  async function sync(): Promise<void> {
    refuseWhenUnusable();
    if (durableSequence === lastSequence) return;
    if (current !== undefined && current.upTo === lastSequence) return current.waiter.promise;
    nextSync ??= newWaiter();
    void pump();
    return nextSync.promise;
  }

  async function flush(): Promise<void> {
    refuseWhenUnusable();
    if (unwrittenBytes === 0) return;
    nextFlush ??= newWaiter();
    void pump();
    return nextFlush.promise;
  }

  function pump(): Promise<void> {
    pumping ??= writeAll().finally(() => {
      pumping = undefined;
    });
    return pumping;
  }

  /** Never rejects: a failure goes to the waiters and to every later caller. */
  async function writeAll(): Promise<void> {
    await undefined; // all callers of this turn of the event loop share the first sync
    while (failure === undefined && (pending.length > 0 || nextSync !== undefined || nextFlush !== undefined)) {
      const batches = pending;
      const bytes = pendingBytes;
      const flushed = nextFlush;
      current = nextSync === undefined ? undefined : { upTo: lastSequence, waiter: nextSync };
      pending = [];
      pendingBytes = 0;
      nextFlush = undefined;
      nextSync = undefined;
      try {
        const last = current === undefined ? undefined : batches.pop();
        for (const batch of batches) await writeBatch(batch, 'write');
        if (last !== undefined) await writeBatch(last, 'writeAndSync');
        else if (current !== undefined) await file.sync();
        if (current !== undefined) synced(current.upTo);
        unwrittenBytes -= bytes;
        flushed?.resolve();
      } catch (cause) {
        poison(cause, flushed);
        return;
      }
      current?.waiter.resolve();
      current = undefined;
    }
  }

  async function writeBatch(batch: Batch, how: 'write' | 'writeAndSync'): Promise<void> {
    if (batch.opens !== undefined) await rotate(batch.opens);
    let bytes = 0;
    for (const part of batch.parts) bytes += part.length;
    await file[how](fileBytes, batch.parts);
    fileBytes += bytes;
    stats.bytes += bytes;
    telemetry.count('wal_written_bytes', bytes);
  }

  async function rotate(opens: SegmentHeader): Promise<void> {
    await file.sync();
    synced(opens.firstSequence - 1);
    await file.close();
    file = await createSegment(disk, directory, opens);
    fileBytes = SEGMENT_HEADER_BYTES;
    stats.bytes += SEGMENT_HEADER_BYTES;
    segments.push(nameOf(directory, opens));
    telemetry.gauge('wal_segments', segments.length);
  }

  function synced(upTo: number): void {
    assert(upTo >= durableSequence, 'what is durable stays durable');
    durableSequence = upTo;
    stats.syncs++;
    telemetry.count('wal_syncs_total');
  }

  function poison(cause: unknown, flushed: Waiter | undefined): void {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const data = { directory, lastSequence, durableSequence };
    const message = `writing the log in ${directory} failed: ${reason}. ${WHAT_TO_DO}`;
    const error = new WalError('write-failed', message, data, cause);
    failure = new WalError('poisoned', `the log in ${directory} failed earlier: ${reason}. ${WHAT_TO_DO}`, data, cause);
    telemetry.log('error', message, data);
    for (const waiter of [flushed, current?.waiter, nextSync, nextFlush]) waiter?.reject(error);
    current = undefined;
    nextSync = undefined;
    nextFlush = undefined;
    pending = [];
  }

  async function prune(belowSequence: number): Promise<number> {
    refuseWhenUnusable();
    pruneBelow = Math.max(pruneBelow, belowSequence);
    pruning ??= removeSegments().finally(() => {
      pruning = undefined;
      pruneBelow = 0;
    });
    return pruning;
  }

  /** Removes one at a time, oldest first: otherwise a power cut could leave a gap. */
  async function removeSegments(): Promise<number> {
    let removed = 0;
    for (let next = segments[1]; next !== undefined && next.firstSequence <= pruneBelow; next = segments[1]) {
      if (closing !== undefined) break;
      const oldest = segments.shift() as SegmentName;
      try {
        await disk.remove(oldest.path);
        await disk.syncDirectory(directory);
      } catch (cause) {
        poison(cause, undefined);
        throw failure;
      }
      removed++;
    }
    if (removed > 0) telemetry.gauge('wal_segments', segments.length);
    return removed;
  }

  function close(): Promise<void> {
    closing ??= closeOnce();
    return closing;
  }

  async function closeOnce(): Promise<void> {
    if (failure === undefined && durableSequence < lastSequence) {
      nextSync ??= newWaiter();
      void pump();
    }
    await Promise.allSettled([pumping, pruning]); // the next opener must find no running operation
    if (failure !== undefined) {
      await file.close().catch(() => {}); // closing may fail like the write before it
      throw failure;
    }
    await file.close();
  }

  function refuseWhenUnusable(): void {
    if (failure !== undefined) throw failure;
    if (closing !== undefined) throw new WalError('closed', `the log in ${directory} is closed`, { directory });
  }

  return {
    append,
    sync,
    flush,
    prune,
    close,
    get lastSequence() {
      return lastSequence;
    },
    get durableSequence() {
      return durableSequence;
    },
    get syncDue() {
      return syncDueSequence > durableSequence;
    },
    get failure() {
      return failure;
    },
    get stats() {
      return { ...stats };
    },
  };
}

const WHAT_TO_DO =
  'Nothing is signed any more. Free space or replace the disk, restart the machine (what the system holds in memory cannot ' +
  'be trusted), then start the node again';

type RecordContents = Pick<RecordFields, 'sequence' | 'durableSequence' | 'payload'>;

function recordOf({ recordMagic }: SegmentHeader, contents: RecordContents, kind: RecordKind): Uint8Array {
  return encodeRecord({ magic: recordMagic, kindByte: RECORD_KIND_BYTES[kind], ...contents });
}

function nameOf(directory: string, { firstSequence }: SegmentHeader): SegmentName {
  return { path: segmentPath(directory, 'log', firstSequence), firstSequence };
}

function newWaiter(): Waiter {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  promise.catch(() => {}); // later callers receive the failure as `poisoned`
  return { promise, resolve, reject };
}
