/**
 * Standard output and standard error; only this module writes to them.
 *
 *   text --> file, device: written at once, to the last byte ------\
 *        \-> pipe, terminal: passed to the stream, within a bound --> done(error?)
 *
 * A pipe's reader may end (EPIPE), a partition be full (ENOSPC), a terminal be closed (EIO). Such a fault is not thrown, and later writes
 * are tried again.
 */
import { fstatSync, writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import type { WriteDone } from './terminal.ts';

export interface Output {
  write(text: string, done?: WriteDone): void;
  /** Resolves when no write is pending. */
  settled(): Promise<void>;
}

interface Outputs {
  readonly out: Output;
  readonly err: Output;
  /** Standard error is a terminal. */
  readonly interactive: boolean;
}

const OUT = 1;
const ERR = 2;
/** Messages that wait for a slow reader; later ones are dropped. Answers have no bound. */
const WAITING_BYTES_MAX = 1024 * 1024;

/** Call once per process. */
export function openOutputs(): Outputs {
  return {
    out: outputOf(OUT, process.stdout, Number.POSITIVE_INFINITY),
    err: outputOf(ERR, process.stderr, WAITING_BYTES_MAX),
    interactive: isatty(ERR),
  };
}

export function isReaderGone(fault: Error): boolean {
  return 'code' in fault && fault.code === 'EPIPE';
}

function outputOf(descriptor: number, stream: NodeJS.WriteStream, waitingBytesMax: number): Output {
  // The runtime writes its warnings to the stream too, and has no handler.
  stream.on('error', () => {});
  const status = fstatSync(descriptor);
  const isFile = status.isFile() || (status.isCharacterDevice() && !isatty(descriptor));
  return isFile
    ? createFileOutput((bytes) => writeSync(descriptor, bytes))
    : createStreamOutput(stream, waitingBytesMax);
}

/** `write` returns the bytes taken, and throws when it takes none. */
export function createFileOutput(write: (bytes: Uint8Array) => number): Output {
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

/** Drops a text beyond `waitingBytesMax`. */
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
