/**
 * Standard output and standard error: the one place that writes to them.
 *
 *   text --> file, device: written at once, to the last byte ------\
 *        \-> pipe, terminal: handed to the stream, within a bound --> done(error?)
 *
 * The reader of a pipe leaves (EPIPE), a partition is full (ENOSPC), a terminal is closed (EIO). No such fault is thrown, and each
 * write is tried afresh: a partition gets room again, a named pipe another reader.
 */
import { fstatSync, writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import type { WriteDone } from './terminal.ts';

export interface Output {
  write(text: string, done?: WriteDone): void;
  /** Resolves when nothing waits to be written any more. */
  settled(): Promise<void>;
}

export interface Outputs {
  readonly out: Output;
  readonly err: Output;
  /** Standard error is a terminal. */
  readonly interactive: boolean;
}

const OUT = 1;
const ERR = 2;
/** Of messages for a reader that does not keep up; some 5,000 lines of a log. Answers have no bound: each is read to its end. */
const WAITING_BYTES_MAX = 1024 * 1024;

/** Once a process. */
export function openOutputs(): Outputs {
  return {
    out: outputOf(OUT, process.stdout, Number.POSITIVE_INFINITY),
    err: outputOf(ERR, process.stderr, WAITING_BYTES_MAX),
    interactive: isatty(ERR),
  };
}

/** The reader of a pipe is gone. */
export function isReaderGone(fault: Error): boolean {
  return 'code' in fault && fault.code === 'EPIPE';
}

function outputOf(descriptor: number, stream: NodeJS.WriteStream, waitingBytesMax: number): Output {
  // The runtime writes its warnings there too.
  stream.on('error', () => {});
  const status = fstatSync(descriptor);
  const isFile = status.isFile() || (status.isCharacterDevice() && !isatty(descriptor));
  return isFile
    ? createFileOutput((bytes) => writeSync(descriptor, bytes))
    : createStreamOutput(stream, waitingBytesMax);
}

/** `write` returns how many bytes it took, and throws when it takes none. */
export function createFileOutput(write: (bytes: Uint8Array) => number): Output {
  /** The file ends within a text that was not written whole. */
  let isTorn = false;
  return {
    write(text, done) {
      let rest = Buffer.from(isTorn ? `\n${text}` : text);
      try {
        while (rest.length > 0) {
          rest = rest.subarray(write(rest));
          isTorn = rest.length > 0;
        }
      } catch (error) {
        done?.(error as Error);
        return;
      }
      done?.();
    },
    settled: () => Promise.resolve(),
  };
}

/** What would make more than `waitingBytesMax` wait is not written. */
export function createStreamOutput(
  stream: Pick<NodeJS.WritableStream, 'write'> & { readonly writableLength: number },
  waitingBytesMax: number,
): Output {
  return {
    write(text, done) {
      if (stream.writableLength > waitingBytesMax) {
        done?.(new Error(`its reader is more than ${waitingBytesMax} bytes behind`));
        return;
      }
      stream.write(text, (fault) => done?.(fault ?? undefined));
    },
    settled: () => new Promise((resolve) => stream.write('', () => resolve())),
  };
}
