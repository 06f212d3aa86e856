/**
 * Writer: appends records to segments in order, with one fdatasync for many records.
 *
 *   append --> batch per segment --> write, synced --> durableSequence, waiters
 *              (decided at once)     \_ one at a time _/
 *     kind: synced    a sync at once, which all records of this turn share    --> Durable
 *           written   a write at once  \_ a sync with a later record,
 *           buffered  neither          /  or within SYNC_LATER_MS
 *
 * A record that comes during a sync shares the next one. The first failure poisons the writer: the page cache is unreliable after a failed
 * write or fsync, so nothing more is written or reported durable.
 */

import type { Clock, Disk, DiskFile, Random, Telemetry } from '@slipstream/ports';
import { assert, type Durable, declareDurable, unreachable } from '@slipstream/primitives';
import {
  createSegment,
  RECORD_OVERHEAD_BYTES,
  SEGMENT_HEADER_BYTES,
  type SegmentHeader,
  type SegmentName,
  segmentPath,
} from '@slipstream/records';
import { WalError } from './errors.ts';
import type { Appended, Wal } from './log.ts';
import { type Batch, PendingRecords } from './pending-records.ts';
import { durabilityOf, type RecordKind, type SyncedKind, type UnsyncedKind } from './record-kinds.ts';
import type { WriterStats } from './writer-stats.ts';

/** So many pending bytes are written without a request, so that a crash of the process loses little. */
const WRITE_AHEAD_BYTES = 256 * 1024;
/** Maximum age of an unsynced record (L3). A node without votes has no other sync. */
const SYNC_LATER_MS = 2000;

export interface WriterComponents {
  readonly clock: Pick<Clock, 'after'>;
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

/** The last segment, open and synced. */
export interface WriterStart {
  readonly segments: readonly SegmentName[];
  readonly header: SegmentHeader;
  readonly file: DiskFile;
  readonly fileBytes: number;
  readonly lastSequence: number;
}

interface Waiter {
  readonly promise: Promise<void>;
  resolve(): void;
  reject(error: WalError): void;
}

export function createWriter(components: WriterComponents, options: WriterOptions, start: WriterStart): Wal {
  return new LogWriter(components, options, start);
}

class LogWriter implements Wal {
  readonly #clock: WriterComponents['clock'];
  readonly #disk: Disk;
  readonly #telemetry: Telemetry;
  readonly #options: WriterOptions;
  readonly #segments: SegmentName[];
  readonly #stats = { syncs: 0, bytes: 0, records: 0 };
  #lastSequence: number;
  #durableSequence: number;

  readonly #pending: PendingRecords;
  /** Bytes that are pending or being written. */
  #unwrittenBytes = 0;
  #file: DiskFile;
  #fileBytes: number;

  #failure: WalError | undefined;
  readonly #failed = Promise.withResolvers<WalError>();
  #closing: Promise<void> | undefined;
  #pumping: Promise<void> | undefined;
  #current: { readonly upTo: number; readonly waiter: Waiter } | undefined;
  #nextSync: Waiter | undefined;
  #nextFlush: Waiter | undefined;
  #cancelSyncLater: (() => void) | undefined;

  /** Highest request since the running removal began. */
  #pruneBelow = 0;
  #pruning: Promise<number> | undefined;

  constructor({ clock, disk, random, telemetry }: WriterComponents, options: WriterOptions, start: WriterStart) {
    this.#clock = clock;
    this.#disk = disk;
    this.#telemetry = telemetry;
    this.#options = options;
    this.#segments = [...start.segments];
    this.#lastSequence = start.lastSequence;
    this.#durableSequence = start.lastSequence;
    this.#pending = new PendingRecords(random, options.segmentBytesMax, start);
    this.#file = start.file;
    this.#fileBytes = start.fileBytes;
    telemetry.gauge('wal_segments', this.#segments.length);
  }

  get lastSequence(): number {
    return this.#lastSequence;
  }

  get durableSequence(): number {
    return this.#durableSequence;
  }

  get failure(): WalError | undefined {
    return this.#failure;
  }

  get failed(): Promise<WalError> {
    return this.#failed.promise;
  }

  get stats(): WriterStats {
    return { ...this.#stats };
  }

  append(kind: UnsyncedKind, payload: Uint8Array): number;
  append<Statement>(kind: SyncedKind, payload: Uint8Array, statement: Statement): Appended<Statement>;
  append<Statement>(kind: RecordKind, payload: Uint8Array, statement?: Statement): number | Appended<Statement> {
    const durability = durabilityOf(kind);
    const sequence = this.#add(kind, payload);
    switch (durability) {
      case 'synced':
        return { sequence, durable: this.#proofOf(statement as Statement) };
      case 'written':
        void this.#pump();
        this.#syncLater();
        return sequence;
      case 'buffered':
        if (this.#pending.bytes >= WRITE_AHEAD_BYTES) void this.#pump();
        this.#syncLater();
        return sequence;
      default:
        return unreachable(durability, 'durability');
    }
  }

  #add(kind: RecordKind, payload: Uint8Array): number {
    this.#assertUsable();
    const bytes = RECORD_OVERHEAD_BYTES + payload.length;
    this.#assertFits(kind, bytes);
    const sequence = this.#lastSequence + 1;
    this.#pending.add(kind, { sequence, durableSequence: this.#durableSequence, payload });
    this.#lastSequence = sequence;
    this.#unwrittenBytes += bytes;
    this.#stats.records++;
    return sequence;
  }

  /** The sync of the record that was appended last. */
  #proofOf<Statement>(statement: Statement): Promise<Durable<Statement>> {
    const durable = this.#requestSync().then(() => declareDurable(statement));
    durable.catch(() => {}); // a caller that has stopped waits no longer
    return durable;
  }

  #requestSync(): Promise<void> {
    this.#nextSync ??= newWaiter();
    void this.#pump();
    return this.#nextSync.promise;
  }

  /** Looks twice in SYNC_LATER_MS, so that a node with votes pays no sync of its own for it. */
  #syncLater(): void {
    const appended = this.#lastSequence;
    this.#cancelSyncLater ??= this.#clock.after(SYNC_LATER_MS / 2, () => {
      this.#cancelSyncLater = undefined;
      if (this.#durableSequence < appended) void this.#requestSync();
      else if (this.#durableSequence < this.#lastSequence) this.#syncLater();
    });
  }

  #stopSyncLater(): void {
    this.#cancelSyncLater?.();
    this.#cancelSyncLater = undefined;
  }

  async sync(): Promise<void> {
    this.#assertUsable();
    if (this.#durableSequence === this.#lastSequence) return;
    if (this.#current !== undefined && this.#current.upTo === this.#lastSequence) return this.#current.waiter.promise;
    return this.#requestSync();
  }

  async flush(): Promise<void> {
    this.#assertUsable();
    if (this.#unwrittenBytes === 0) return;
    this.#nextFlush ??= newWaiter();
    void this.#pump();
    return this.#nextFlush.promise;
  }

  async prune(belowSequence: number): Promise<number> {
    this.#assertUsable();
    this.#pruneBelow = Math.max(this.#pruneBelow, belowSequence);
    this.#pruning ??= this.#removeSegments().finally(() => {
      this.#pruning = undefined;
      this.#pruneBelow = 0;
    });
    return this.#pruning;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  #assertUsable(): void {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#closing === undefined) return;
    const { directory } = this.#options;
    throw new WalError('closed', `the log in ${directory} is closed`, { directory });
  }

  #assertFits(kind: RecordKind, bytes: number): void {
    const { recordBytesMax, pendingBytesMax } = this.#options;
    if (bytes > recordBytesMax) {
      const message = `a ${kind} record of ${bytes} bytes is above the log's maximum of ${recordBytesMax}`;
      throw new WalError('record-too-large', message, { kind, bytes, recordBytesMax });
    }
    const unwrittenBytes = this.#unwrittenBytes;
    if (unwrittenBytes + bytes > pendingBytesMax) {
      const message = `${unwrittenBytes} bytes wait to be written to the log: the disk does not keep up`;
      throw new WalError('backlog-full', message, { unwrittenBytes, pendingBytesMax });
    }
  }

  #pump(): Promise<void> {
    this.#pumping ??= this.#writeAll();
    return this.#pumping;
  }

  /** Never rejects: waiters and later callers get the failure. */
  async #writeAll(): Promise<void> {
    await undefined; // all callers of this turn of the event loop share one sync
    while (this.#failure === undefined && this.#hasWork()) await this.#writePending();
    // In the same turn as the last check for work: a request that comes later starts the pump again.
    this.#pumping = undefined;
  }

  async #writePending(): Promise<void> {
    const bytes = this.#pending.bytes;
    const batches = this.#pending.take();
    const flushed = this.#nextFlush;
    this.#current = this.#nextSync && { upTo: this.#lastSequence, waiter: this.#nextSync };
    this.#nextFlush = undefined;
    this.#nextSync = undefined;
    try {
      const last = this.#current && batches.pop();
      for (const batch of batches) await this.#writeBatch(batch, 'write');
      if (last !== undefined) await this.#writeBatch(last, 'writeAndSync');
      else if (this.#current !== undefined) await this.#file.sync();
      if (this.#current !== undefined) this.#synced(this.#current.upTo);
      this.#unwrittenBytes -= bytes;
      flushed?.resolve();
    } catch (cause) {
      this.#poison(cause, flushed);
      return;
    }
    this.#current?.waiter.resolve();
    this.#current = undefined;
  }

  #hasWork(): boolean {
    return !this.#pending.isEmpty || this.#nextSync !== undefined || this.#nextFlush !== undefined;
  }

  async #writeBatch(batch: Batch, how: 'write' | 'writeAndSync'): Promise<void> {
    if (batch.opens !== undefined) await this.#rotate(batch.opens);
    let bytes = 0;
    for (const part of batch.parts) bytes += part.length;
    await this.#file[how](this.#fileBytes, batch.parts);
    this.#fileBytes += bytes;
    this.#stats.bytes += bytes;
    this.#telemetry.count('wal_written_bytes', bytes);
  }

  async #rotate(opens: SegmentHeader): Promise<void> {
    const { directory } = this.#options;
    await this.#file.sync();
    this.#synced(opens.firstSequence - 1);
    await this.#file.close();
    this.#file = await createSegment(this.#disk, directory, opens);
    this.#fileBytes = SEGMENT_HEADER_BYTES;
    this.#stats.bytes += SEGMENT_HEADER_BYTES;
    const { firstSequence } = opens;
    this.#segments.push({ path: segmentPath(directory, 'log', firstSequence), firstSequence });
    this.#telemetry.gauge('wal_segments', this.#segments.length);
  }

  #synced(upTo: number): void {
    assert(upTo >= this.#durableSequence, 'what is durable stays durable');
    this.#durableSequence = upTo;
    this.#stats.syncs++;
    this.#telemetry.count('wal_syncs_total');
  }

  #poison(cause: unknown, flushed: Waiter | undefined): void {
    const { directory } = this.#options;
    const reason = cause instanceof Error ? cause.message : String(cause);
    const data = { directory, lastSequence: this.#lastSequence, durableSequence: this.#durableSequence };
    const message = `writing the log in ${directory} failed: ${reason}. ${WHAT_TO_DO}`;
    const error = new WalError('write-failed', message, data, cause);
    const later = `the log in ${directory} failed earlier: ${reason}. ${WHAT_TO_DO}`;
    this.#failure = new WalError('poisoned', later, data, cause);
    this.#telemetry.log('error', message, data);
    this.#stopSyncLater();
    this.#failed.resolve(error);
    for (const waiter of [flushed, this.#current?.waiter, this.#nextSync, this.#nextFlush]) waiter?.reject(error);
    this.#current = undefined;
    this.#nextSync = undefined;
    this.#nextFlush = undefined;
    this.#pending.take();
  }

  /** Removes one at a time, oldest first: otherwise a power cut could leave a gap. */
  async #removeSegments(): Promise<number> {
    const segments = this.#segments;
    let removed = 0;
    for (let next = segments[1]; next !== undefined && next.firstSequence <= this.#pruneBelow; next = segments[1]) {
      if (this.#closing !== undefined) break;
      const oldest = segments.shift() as SegmentName;
      try {
        await this.#disk.remove(oldest.path);
        await this.#disk.syncDirectory(this.#options.directory);
      } catch (cause) {
        this.#poison(cause, undefined);
        throw this.#failure;
      }
      removed++;
    }
    if (removed > 0) this.#telemetry.gauge('wal_segments', segments.length);
    return removed;
  }

  async #close(): Promise<void> {
    this.#stopSyncLater();
    if (this.#failure === undefined && this.#durableSequence < this.#lastSequence) void this.#requestSync();
    await Promise.allSettled([this.#pumping, this.#pruning]); // the next opener must find no running operation
    if (this.#failure !== undefined) {
      await this.#file.close().catch(() => {}); // closing may fail like the write before it
      throw this.#failure;
    }
    await this.#file.close();
  }
}

const WHAT_TO_DO =
  'Nothing is signed any more. Free space or replace the disk, restart the machine (what the system holds in memory cannot ' +
  'be trusted), then start the node again';

function newWaiter(): Waiter {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  promise.catch(() => {}); // later callers receive the failure as `poisoned`
  return { promise, resolve, reject };
}
