/** A command's interface to its process; tests replace it. */
import { resolve } from 'node:path';

/** Called, now or later, with the fault if not everything was written. */
export type WriteDone = (fault?: Error) => void;

export interface Terminal {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Base of relative paths in arguments. */
  readonly folder: string;
  /** Standard error is a terminal. */
  readonly interactive: boolean;
  /**
   * Writes lines to standard output: the answer only. Control characters are replaced, here and in `err`.
   * An answer that cannot be written makes the exit code 1; a reader that is gone ends the command (`onSignals`), with 141.
   */
  out(text: string, done?: WriteDone): void;
  /** From now on a lost answer neither ends nor fails the command. */
  outlivesOutput(): void;
  /** Writes messages for people to standard error. A lost message ends no command. */
  err(text: string, done?: WriteDone): void;
  /** Writes to standard error unchanged and without an end of line, for a line that is redrawn. */
  draw(text: string): void;
  /** All of standard input. Rejects when it exceeds `bytesMax`. */
  readInput(bytesMax: number): Promise<Uint8Array>;
  /**
   * Calls `onSignal` at each SIGINT, SIGTERM and SIGHUP until the returned function is called; those within a second are one. The end of a
   * parent process with a channel to this one also counts as a signal (`disconnect`), unless one came before. So does the end of the
   * answer's reader (`SIGPIPE`, once). A command that is not listening ends at any of them.
   */
  onSignals(onSignal: (signal: string) => void): () => void;
  exit(code: number): never;
}

/** A path of the command line. */
export function inFolder({ folder }: Pick<Terminal, 'folder'>, path: string): string {
  return resolve(folder, path);
}
