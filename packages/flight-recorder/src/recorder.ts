/**
 * Flight recorder: writes each input of a core, and a digest of its outcomes, to a ring of files.
 *
 *   input --> entry --> recording files --full--> next file, begun with the core's state
 *
 * On by default, so cheap and harmless: it never waits, and a disk failure ends only the recording. Keys never reach a core. Files are not
 * synced: they survive the process, but no power cut.
 */
import { type Core, type CoreSetting, NOTHING_RESTORED } from '@slipstream/consensus';
import { createDigest, type Digest } from './digest.ts';
import {
  applyInput,
  type CoreInput,
  createOutcomeDigest,
  END_MARK,
  ENTRY_TAIL_BYTES,
  HEAD_TAIL_BYTES,
  type Outcome,
  RECORDING_MAGIC,
  type RecordingHead,
  threw,
} from './recording.ts';
import { RecordingFiles, type RecordingFilesComponents, type RecordingFilesOptions } from './recording-files.ts';
import { ValueWriter } from './value-writer.ts';

type RecorderComponents = RecordingFilesComponents;
type RecorderOptions = RecordingFilesOptions;

export interface Recorder {
  /** Wraps the core. Of several in turn, the newest is recorded. */
  record(core: Core, setting: CoreSetting): Core;
  /** Path of the newest file, relative to the disk's root; undefined: nothing is recorded, or the disk failed. */
  readonly path: string | undefined;
  /** Writes what is in memory, and with `inOrder` the end mark. */
  close(options?: { readonly inOrder: boolean }): Promise<void>;
}

export function createRecorder(components: RecorderComponents, options: RecorderOptions): Recorder {
  const files = new RecordingFiles(components, options);
  const { clock } = components;
  let newest: RunningRecording | undefined;
  return {
    record(core, setting) {
      const recording = new RunningRecording(files, core, setting);
      newest = recording;
      return {
        ...core,
        step: (input, nowMs, wallMs) =>
          recording === newest ? recording.step(input, nowMs, wallMs) : core.step(input, nowMs, wallMs),
        lift: (member) => void recording.step({ type: 'lift', member }, clock.monotonicMs(), clock.wallMs()),
      };
    },
    get path() {
      return files.path;
    },
    async close({ inOrder } = { inOrder: false }) {
      if (inOrder && newest !== undefined && files.isOpen) files.append(END_MARK);
      await files.close();
    },
  };
}

/** Strings, shapes and digests start again with each file. */
interface FileStream {
  readonly writer: ValueWriter;
  readonly inputs: Digest;
  readonly outcomes: ReturnType<typeof createOutcomeDigest>;
}

class RunningRecording {
  readonly #files: RecordingFiles;
  readonly #core: Core;
  readonly #setting: CoreSetting;
  #stream: FileStream;

  constructor(files: RecordingFiles, core: Core, setting: CoreSetting) {
    this.#files = files;
    this.#core = core;
    this.#setting = setting;
    this.#stream = this.#beginFile();
  }

  step(input: CoreInput, nowMs: number, wallMs: number): ReturnType<Core['step']> {
    if (!this.#files.isOpen) return applyInput(this.#core, input, nowMs, wallMs);
    this.#appendInput(input, nowMs, wallMs);
    try {
      const effects = applyInput(this.#core, input, nowMs, wallMs);
      this.#appendOutcome(effects);
      if (this.#files.isFileFull) this.#stream = this.#beginFile();
      return effects;
    } catch (error) {
      this.#appendOutcome(threw(error));
      this.#files.flush();
      throw error;
    }
  }

  #beginFile(): FileStream {
    const files = this.#files;
    files.beginFile();
    const stream = { writer: new ValueWriter(), inputs: createDigest(), outcomes: createOutcomeDigest() };
    const { genesisHash, committee, self, options, root, refuseUpToView, nullifyUpToView } = this.#setting;
    const refused = { refuseUpToView, nullifyUpToView };
    const setting = { genesisHash, committee, self, options, root, ...refused, restored: NOTHING_RESTORED };
    const head: RecordingHead = { setting, state: this.#core.state() };
    stream.writer.write(head, { identity: true });
    const bytes = stream.writer.take();
    if (bytes.length > files.fileBytesMax / 2) {
      files.fail(`the state of ${bytes.length} bytes does not fit: raise recorder.megabytes`);
      return stream;
    }
    stream.inputs.add(bytes);
    files.append(RECORDING_MAGIC);
    files.appendWord(bytes.length + HEAD_TAIL_BYTES);
    files.append(bytes);
    files.appendWord(stream.inputs.low);
    return stream;
  }

  /** The first half of an entry, before the core's step. */
  #appendInput(input: CoreInput, nowMs: number, wallMs: number): void {
    const { writer, inputs } = this.#stream;
    writer.write(input);
    writer.writeFloat(nowMs);
    writer.writeFloat(wallMs);
    const bytes = writer.take();
    inputs.add(bytes);
    this.#files.appendWord(bytes.length + ENTRY_TAIL_BYTES);
    this.#files.append(bytes);
    this.#files.appendWord(inputs.low);
  }

  #appendOutcome(outcome: Outcome): void {
    const { outcomes } = this.#stream;
    outcomes.add(outcome);
    this.#files.appendWord(outcomes.low);
    this.#files.appendWord(outcomes.high);
  }
}
