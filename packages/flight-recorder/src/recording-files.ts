/**
 * Recording files: a ring of files, appended in order without waiting for the disk.
 *
 *   append --> memory --each half second, or when enough--> file
 *   beginFile ------------------------------------------> next file --> the oldest is removed
 *
 * The first failure of the disk ends the recording.
 */
import type { Clock, Disk, DiskFile, Telemetry } from '@slipstream/ports';
import { RECORDING_SUFFIX } from './recording.ts';

export interface RecordingFilesComponents {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

export interface RecordingFilesOptions {
  readonly directory: string;
  /** Of all files. */
  readonly bytesMax: number;
}

/** A file is full at this fraction of the ring, so the ring always holds a whole file. */
const FILES_IN_RING = 4;
/** Bounds the small files of a node that restarts again and again. */
const FILES_MAX = 64;
const WRITE_BYTES = 64 * 1024;
const WRITE_EVERY_MS = 500;
/** More bytes that wait for the disk end the recording. */
const WAITING_BYTES_MAX = 16 * 1024 * 1024;

interface RingFile {
  readonly path: string;
  /** Opened by the first write. */
  file: DiskFile | undefined;
  written: number;
  /** Appended, written or not. */
  bytes: number;
}

export class RecordingFiles {
  readonly #components: RecordingFilesComponents;
  readonly #options: RecordingFilesOptions;
  readonly #fileBytesMax: number;
  #state: 'open' | 'failed' | 'closed' = 'open';
  #current: RingFile | undefined;
  #filesBegun = 0;
  #buffer = new Uint8Array(WRITE_BYTES);
  #used = 0;
  #waitingBytes = 0;
  #writing: Promise<void> = Promise.resolve();
  #cancelFlush: (() => void) | undefined;
  readonly #word = new Uint8Array(4);
  readonly #wordView = new DataView(this.#word.buffer);

  constructor(components: RecordingFilesComponents, options: RecordingFilesOptions) {
    this.#components = components;
    this.#options = options;
    this.#fileBytesMax = Math.floor(options.bytesMax / FILES_IN_RING);
  }

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  get path(): string | undefined {
    return this.#state === 'failed' ? undefined : this.#current?.path;
  }

  get fileBytesMax(): number {
    return this.#fileBytesMax;
  }

  get isFileFull(): boolean {
    return this.#current !== undefined && this.#current.bytes >= this.#fileBytesMax;
  }

  beginFile(): void {
    this.flush();
    const last = this.#current?.file;
    if (last)
      this.#writing = this.#writing.then(() => last.close()).catch((error: unknown) => this.fail(String(error)));
    const time = String(this.#components.clock.wallMs()).padStart(15, '0');
    const number = String(this.#filesBegun++).padStart(5, '0');
    const path = `${this.#options.directory}/${time}-${number}${RECORDING_SUFFIX}`;
    this.#current = { path, file: undefined, written: 0, bytes: 0 };
  }

  append(bytes: Uint8Array): void {
    if (this.#used + bytes.length > this.#buffer.length) this.flush();
    if (bytes.length > this.#buffer.length) this.#buffer = new Uint8Array(bytes.length);
    this.#buffer.set(bytes, this.#used);
    this.#used += bytes.length;
    if (this.#current) this.#current.bytes += bytes.length;
    this.#cancelFlush ??= this.#components.clock.after(WRITE_EVERY_MS, () => this.flush());
  }

  appendWord(value: number): void {
    this.#wordView.setUint32(0, value, true);
    this.append(this.#word);
  }

  flush(): void {
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    const to = this.#current;
    if (this.#used === 0 || !to || !this.isOpen) return;
    const bytes = this.#buffer.slice(0, this.#used);
    this.#used = 0;
    this.#waitingBytes += bytes.length;
    if (this.#waitingBytes > WAITING_BYTES_MAX) return this.fail(`the disk is ${this.#waitingBytes} bytes behind`);
    this.#writing = this.#writing
      .then(() => this.#write(to, bytes))
      .catch((error: unknown) => this.fail(String(error)));
  }

  /** Ends the recording. The node continues. */
  fail(reason: string): void {
    if (!this.isOpen) return;
    this.#state = 'failed';
    this.#cancelFlush?.();
    this.#components.telemetry.log('warn', 'the flight recorder stopped; the node goes on', { reason });
  }

  async close(): Promise<void> {
    this.flush();
    await this.#writing;
    this.#cancelFlush?.();
    const file = this.#current?.file;
    if (this.#current) this.#current.file = undefined;
    if (this.isOpen) this.#state = 'closed';
    await file?.close().catch(() => {}); // completed writes are with the operating system
  }

  async #write(to: RingFile, bytes: Uint8Array): Promise<void> {
    to.file ??= await this.#open(to.path);
    await to.file.write(to.written, [bytes]);
    to.written += bytes.length;
    this.#waitingBytes -= bytes.length;
  }

  async #open(path: string): Promise<DiskFile> {
    const { disk } = this.#components;
    await disk.makeDirectory(this.#options.directory);
    await this.#removeOldest();
    return disk.open(path, { create: true });
  }

  /** Removes files, also those of earlier processes, until one more fits. */
  async #removeOldest(): Promise<void> {
    const { disk } = this.#components;
    const { directory, bytesMax } = this.#options;
    const names = (await disk.list(directory)).filter((name) => name.endsWith(RECORDING_SUFFIX)).sort();
    const sizes = await Promise.all(names.map((name) => disk.size(`${directory}/${name}`)));
    let bytes = sizes.reduce((sum: number, size) => sum + (size ?? 0), 0);
    let files = names.length;
    for (const [at, name] of names.entries()) {
      if (bytes + this.#fileBytesMax <= bytesMax && files < FILES_MAX) return;
      await disk.remove(`${directory}/${name}`);
      bytes -= sizes[at] ?? 0;
      files--;
    }
  }
}
