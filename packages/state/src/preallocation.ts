/**
 * Room: zeros behind the end of the log whose turn is next, laid out while nobody waits. A large segment that is written over them
 * needs no blocks placed and no length journaled, half of what an append costs the disk (docs/decisions/0010).
 *
 *   a large batch is in the index, no append under way --> zeros behind the next log, synced --> the next segment over them
 *
 * At most one file has room. What no segment filled is cut off before other room is laid out and when the store closes, after a
 * crash when it opens. Nothing of the format knows of it: a log ends where its last committed segment does.
 */
import { DiskError, type DiskFile } from '@slipstream/ports';

export interface PreallocationPolicy {
  /** Bytes of a segment from which on the next one gets room: smaller ones are not worth writing twice. */
  readonly fromBytes: number;
  /** Room is at most so long; a longer segment goes on behind it as any other. */
  readonly bytesMax: number;
}

export const DEFAULT_PREALLOCATION: PreallocationPolicy = { fromBytes: 1_048_576, bytesMax: 16_777_216 };

const PIECE_BYTES = 1_048_576;
const ZEROS = new Uint8Array(PIECE_BYTES);

interface Preallocation {
  /** Begins to lay out `bytes` behind `end`, the file's length but for its room. Until `stop`, a full disk or a failure. */
  layOut(file: number, end: number, bytes: number): void;
  /** Before logs are changed. When it has ended no more zeros are written; a sync of them may still be under way. */
  stop(): Promise<void>;
  /**
   * After a log was synced: throws if a write or sync of room has failed, since the disk reports a failure once only, and that may
   * have been the log's own.
   */
  settled(): Promise<void>;
  /** The file is written up to `end` now. */
  written(file: number, end: number): void;
  /** It was cut off or removed, with its room. */
  lost(file: number): void;
  /** Takes off what is left. No more is laid out, though a batch may still be folded. */
  close(): Promise<void>;
}

interface Laid {
  readonly file: number;
  /** Where the room begins, and the file's length. */
  end: number;
  length: number;
}

export function createPreallocation(open: (file: number) => Promise<DiskFile>): Preallocation {
  let laid: Laid | undefined;
  /** One call to the disk that changes a file. */
  let step: Promise<void> = Promise.resolve();
  let running: Promise<void> = Promise.resolve();
  let failure: unknown;
  let closed = false;
  /** Changes whenever what is being laid out is to stop. */
  let turn = 0;

  async function change(work: () => Promise<void>): Promise<void> {
    const done = work();
    step = done.catch(() => {});
    await done;
  }

  async function cutOff(): Promise<void> {
    if (laid === undefined) return;
    const { file, end, length } = laid;
    laid = undefined;
    if (length > end) await change(async () => (await open(file)).truncate(end));
  }

  /** False when the disk is full. */
  async function writeZeros(handle: DiskFile, at: number, bytes: number): Promise<boolean> {
    try {
      await change(() => handle.write(at, [ZEROS.subarray(0, bytes)]));
      return true;
    } catch (error) {
      if (error instanceof DiskError && error.code === 'no-space') return false;
      throw error;
    }
  }

  async function run(file: number, end: number, bytes: number, mine: number): Promise<void> {
    await cutOff();
    const handle = await open(file);
    if (turn !== mine) return;
    const room = { file, end, length: end };
    laid = room;
    while (room.length < end + bytes) {
      const from = room.length;
      room.length = Math.min(end + bytes, from + PIECE_BYTES);
      const written = await writeZeros(handle, from, room.length - from);
      if (turn !== mine) return;
      // A segment finds out for itself whether it has room, once this is given back.
      if (!written) return cutOff();
    }
    await handle.sync();
  }

  const isLongEnough = (file: number, bytes: number) => laid?.file === file && laid.length - laid.end >= bytes;

  return {
    layOut(file, end, bytes) {
      if (closed || failure !== undefined || isLongEnough(file, bytes)) return;
      const mine = ++turn;
      running = running
        .then(() => (turn === mine ? run(file, end, bytes, mine) : undefined))
        .catch((error: unknown) => {
          failure = error;
        });
    },
    async stop() {
      turn += 1;
      await step;
    },
    async settled() {
      await running;
      if (failure !== undefined) throw failure;
    },
    written(file, end) {
      if (laid?.file !== file) return;
      if (laid.length > end) laid.end = end;
      else laid = undefined;
    },
    lost(file) {
      if (laid?.file === file) laid = undefined;
    },
    async close() {
      closed = true;
      turn += 1;
      await running;
      if (failure === undefined) await cutOff();
    },
  };
}
