/**
 * Preallocation: zeros behind the end of the next log, written in idle time. A large segment that overwrites them needs no block
 * allocation and no journaled length (docs/decisions/0010).
 *
 *   a large batch is in the index, no append under way --> zeros behind the next log, synced --> the next segment over them
 *
 * At most one file has zeros. Unused ones are cut off before the next preallocation, at closing, and at opening after a crash.
 */
import { DiskError, type DiskFile } from '@slipstream/ports';

export interface PreallocationPolicy {
  /** Smaller segments cause no preallocation: writing them twice costs more than it saves. */
  readonly fromBytes: number;
  /** Upper limit: the rest of a longer segment extends the file. */
  readonly bytesMax: number;
}

export const DEFAULT_PREALLOCATION: PreallocationPolicy = { fromBytes: 1_048_576, bytesMax: 16_777_216 };

const PIECE_BYTES = 1_048_576;
const ZEROS = new Uint8Array(PIECE_BYTES);

interface Preallocation {
  /** Writes zeros from `end`, the end of the data. Ends early on `stop`, a full disk or a failure. */
  preallocate(file: number, end: number, bytes: number): void;
  /** Call before a log changes. A sync of zeros may still run. */
  stop(): Promise<void>;
  /**
   * Call after a sync of a log. Throws if a write or sync of zeros failed: the disk reports a failure once, and it may concern the log.
   */
  finish(): Promise<void>;
  /** Data now reaches `end`. */
  written(file: number, end: number): void;
  /** The file was truncated or removed. */
  removed(file: number): void;
  /** Cuts off unused zeros. Later calls do nothing. */
  close(): Promise<void>;
}

interface Zeros {
  readonly file: number;
  /** Where the zeros begin and end. */
  end: number;
  length: number;
}

export function createPreallocation(open: (file: number) => Promise<DiskFile>): Preallocation {
  let current: Zeros | undefined;
  /** The running disk call that changes a file. */
  let step: Promise<void> = Promise.resolve();
  let running: Promise<void> = Promise.resolve();
  let failure: unknown;
  let closed = false;
  /** Incremented to stop the running preallocation. */
  let generation = 0;

  async function change(work: () => Promise<void>): Promise<void> {
    const done = work();
    step = done.catch(() => {});
    await done;
  }

  async function cutOff(): Promise<void> {
    if (current === undefined) return;
    const { file, end, length } = current;
    current = undefined;
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
    if (generation !== mine) return;
    const zeros = { file, end, length: end };
    current = zeros;
    while (zeros.length < end + bytes) {
      const from = zeros.length;
      zeros.length = Math.min(end + bytes, from + PIECE_BYTES);
      const written = await writeZeros(handle, from, zeros.length - from);
      if (generation !== mine) return;
      // The next segment needs the space, and its own write detects a full disk.
      if (!written) return cutOff();
    }
    await handle.sync();
  }

  const isLongEnough = (file: number, bytes: number) => current?.file === file && current.length - current.end >= bytes;

  return {
    preallocate(file, end, bytes) {
      if (closed || failure !== undefined || isLongEnough(file, bytes)) return;
      const mine = ++generation;
      running = running
        .then(() => (generation === mine ? run(file, end, bytes, mine) : undefined))
        .catch((error: unknown) => {
          failure = error;
        });
    },
    async stop() {
      generation += 1;
      await step;
    },
    async finish() {
      await running;
      if (failure !== undefined) throw failure;
    },
    written(file, end) {
      if (current?.file !== file) return;
      if (current.length > end) current.end = end;
      else current = undefined;
    },
    removed(file) {
      if (current?.file === file) current = undefined;
    },
    async close() {
      closed = true;
      generation += 1;
      await running;
      if (failure === undefined) await cutOff();
    },
  };
}
