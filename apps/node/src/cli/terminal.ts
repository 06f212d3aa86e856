/** What a command sees of the process it runs in; tests give it another. */

/** Told, now or later, whether all was written. */
export type WriteDone = (fault?: Error) => void;

export interface Terminal {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Paths in arguments are relative to it. */
  readonly folder: string;
  /** A person reads standard error. */
  readonly interactive: boolean;
  /**
   * One line (or several) to standard output: the answer, nothing else. Control characters do not come through, here and in `err`.
   * An answer that cannot be written makes the exit code 1; a reader that leaves ends the command (`onSignals`), with 141.
   */
  out(text: string, done?: WriteDone): void;
  /** From now on a lost answer neither ends nor fails the command. */
  outlivesOutput(): void;
  /** To standard error: whatever is for people. What is lost there ends no command. */
  err(text: string, done?: WriteDone): void;
  /** To standard error as it is, without an end of line: for a line that is drawn over. */
  draw(text: string): void;
  /** All of standard input. Rejects when there is more than `bytesMax`. */
  readInput(bytesMax: number): Promise<Uint8Array>;
  /**
   * Calls `onSignal` at each SIGINT, SIGTERM and SIGHUP until the returned function is called; those within a second are one. A program
   * that started this one with a channel and is gone, however it ended, counts as a signal too (`disconnect`), unless one came before.
   * So does a reader of the answer that is gone (`SIGPIPE`, once). A command that is not listening ends at any of them.
   */
  onSignals(onSignal: (signal: string) => void): () => void;
  /** Ends the process now, whatever is under way. */
  exit(code: number): never;
}
