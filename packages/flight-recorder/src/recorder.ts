/**
 * Flight recorder: what a core was told, and a digest of what it decided, in a ring of files.
 *
 *   input --> entry --> memory --each half second, or when enough--> file --full--> next file, begun with the core's state
 *                                                                     \--> the oldest is removed
 *
 * It is on by default, so it must cost next to nothing and may never harm the node: it waits for nothing, and the first failure of
 * the disk ends the recording, not the node. What it holds came over the network or is about to go there; keys never reach a core.
 * Files are not synced: they outlive the process, not a power cut.
 */
import { type Core, type CoreSetting, NOTHING_RESTORED } from '@slipstream/consensus';
import type { Clock, Disk, DiskFile, Telemetry } from '@slipstream/ports';
import { createDigest, type Digest } from './digest.ts';
import {
  applyInput,
  type CoreInput,
  createOutcomeDigest,
  END_MARK,
  HEAD_TAIL_BYTES,
  type Outcome,
  RECORDING_MAGIC,
  RECORDING_SUFFIX,
  type RecordingHead,
  threw,
} from './recording.ts';
import { createValueWriter, type ValueWriter } from './value-writer.ts';

export interface RecorderComponents {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

export interface RecorderOptions {
  readonly directory: string;
  /** Of all files together. */
  readonly bytesMax: number;
}

export interface Recorder {
  /** The same core, recorded from now on. One core a recorder. */
  record(core: Core, setting: CoreSetting): Core;
  /** The newest file, relative to the disk's root; undefined when nothing is recorded, or the disk ended it. */
  readonly path: string | undefined;
  /** Writes what is in memory. `inOrder`: the node stops because it was told to, and the recording says so. */
  close(options?: { readonly inOrder: boolean }): Promise<void>;
}

/** A file is full at this share of the ring: one file is always whole, and a new one begins with little lost. */
const FILES_IN_RING = 4;
/** Of a node that starts again and again, each time with a small file. */
const FILES_MAX = 64;
const WRITE_BYTES = 64 * 1024;
const WRITE_EVERY_MS = 500;
/** Waiting for the disk; more ends the recording. */
const WAITING_BYTES_MAX = 16 * 1024 * 1024;

/** What belongs to one file. */
interface Part {
  readonly path: string;
  readonly writer: ValueWriter;
  readonly inputs: Digest;
  readonly outcomes: ReturnType<typeof createOutcomeDigest>;
  file: DiskFile | undefined;
  written: number;
  bytes: number;
}

export function createRecorder(components: RecorderComponents, { directory, bytesMax }: RecorderOptions): Recorder {
  const { disk, clock, telemetry } = components;
  const fileBytesMax = Math.floor(bytesMax / FILES_IN_RING);
  let part: Part | undefined;
  let parts = 0;
  let buffer = new Uint8Array(WRITE_BYTES);
  let used = 0;
  let waitingBytes = 0;
  let writing: Promise<void> = Promise.resolve();
  let cancelWrite: (() => void) | undefined;
  let ended = false;
  let brokenOff = false;

  function end(reason: string): void {
    if (ended) return;
    ended = true;
    brokenOff = true;
    cancelWrite?.();
    telemetry.log('warn', 'the flight recorder stopped; the node goes on', { reason });
  }

  /** Hands what is in memory to the disk, in order. */
  function write(): void {
    cancelWrite?.();
    cancelWrite = undefined;
    const to = part;
    if (used === 0 || !to || ended) return;
    const bytes = buffer.slice(0, used);
    used = 0;
    waitingBytes += bytes.length;
    if (waitingBytes > WAITING_BYTES_MAX) return end(`the disk is ${waitingBytes} bytes behind`);
    writing = writing
      .then(async () => {
        to.file ??= await openPart(to.path);
        await to.file.write(to.written, [bytes]);
        to.written += bytes.length;
        waitingBytes -= bytes.length;
      })
      .catch((error: unknown) => end(String(error)));
  }

  async function openPart(path: string): Promise<DiskFile> {
    await disk.makeDirectory(directory);
    await makeRoom();
    return disk.open(path, { create: true });
  }

  /** Removes the oldest files, of earlier lives too, until one more fits. */
  async function makeRoom(): Promise<void> {
    const names = (await disk.list(directory)).filter((name) => name.endsWith(RECORDING_SUFFIX)).sort();
    const sizes = await Promise.all(names.map((name) => disk.size(`${directory}/${name}`)));
    let bytes = sizes.reduce((sum: number, size) => sum + (size ?? 0), 0);
    let files = names.length;
    for (const [at, name] of names.entries()) {
      if (bytes + fileBytesMax <= bytesMax && files < FILES_MAX) return;
      await disk.remove(`${directory}/${name}`);
      bytes -= sizes[at] ?? 0;
      files--;
    }
  }

  function append(bytes: Uint8Array): void {
    if (used + bytes.length > buffer.length) write();
    if (bytes.length > buffer.length) buffer = new Uint8Array(bytes.length);
    buffer.set(bytes, used);
    used += bytes.length;
    if (part) part.bytes += bytes.length;
    cancelWrite ??= clock.after(WRITE_EVERY_MS, write);
  }

  const word = new Uint8Array(4);
  function appendWord(value: number): void {
    new DataView(word.buffer).setUint32(0, value, true);
    append(word);
  }

  function begin(core: Core, setting: CoreSetting): void {
    write();
    const last = part?.file;
    if (last) writing = writing.then(() => last.close()).catch((error: unknown) => end(String(error)));
    const name = `${String(clock.wallMs()).padStart(15, '0')}-${String(parts++).padStart(5, '0')}${RECORDING_SUFFIX}`;
    part = {
      path: `${directory}/${name}`,
      writer: createValueWriter(),
      inputs: createDigest(),
      outcomes: createOutcomeDigest(),
      file: undefined,
      written: 0,
      bytes: 0,
    };
    const { genesisHash, committee, self, options, root, refuseUpToView } = setting;
    const kept = { genesisHash, committee, self, options, root, refuseUpToView, restored: NOTHING_RESTORED };
    const head: RecordingHead = { setting: kept, state: core.state() };
    part.writer.write(head, { identity: true });
    const bytes = part.writer.take();
    if (bytes.length > fileBytesMax / 2) {
      return end(`the state of ${bytes.length} bytes does not fit: raise recorder.megabytes`);
    }
    append(RECORDING_MAGIC);
    part.inputs.add(bytes);
    appendWord(bytes.length + HEAD_TAIL_BYTES);
    append(bytes);
    appendWord(part.inputs.low);
  }

  /** An entry's first half, before the core sees the input. */
  function noteInput(to: Part, input: CoreInput, nowMs: number, wallMs: number): void {
    to.writer.write(input);
    to.writer.writeFloat(nowMs);
    to.writer.writeFloat(wallMs);
    const bytes = to.writer.take();
    to.inputs.add(bytes);
    appendWord(bytes.length + 12);
    append(bytes);
    appendWord(to.inputs.low);
  }

  function noteOutcome(to: Part, outcome: Outcome): void {
    to.outcomes.add(outcome);
    appendWord(to.outcomes.low);
    appendWord(to.outcomes.high);
  }

  function record(core: Core, setting: CoreSetting): Core {
    begin(core, setting);

    function step(input: CoreInput, nowMs: number, wallMs: number): ReturnType<Core['step']> {
      const to = part;
      if (ended || !to) return applyInput(core, input, nowMs, wallMs);
      noteInput(to, input, nowMs, wallMs);
      try {
        const effects = applyInput(core, input, nowMs, wallMs);
        noteOutcome(to, effects);
        if (to.bytes >= fileBytesMax) begin(core, setting);
        return effects;
      } catch (error) {
        noteOutcome(to, threw(error));
        write();
        throw error;
      }
    }

    return {
      ...core,
      step,
      lift: (member) => void step({ type: 'lift', member }, clock.monotonicMs(), clock.wallMs()),
    };
  }

  return {
    record,
    get path() {
      return brokenOff ? undefined : part?.path;
    },
    async close({ inOrder } = { inOrder: false }) {
      if (inOrder && part && !ended) append(END_MARK);
      write();
      await writing;
      cancelWrite?.();
      const file = part?.file;
      if (part) part.file = undefined;
      ended = true;
      await file?.close().catch(() => {}); // what was written is with the system
    },
  };
}
