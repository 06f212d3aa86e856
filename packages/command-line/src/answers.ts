/**
 * A command's answer on standard output, and the exit code when it is lost.
 *
 *   the pipe has no reader any more --> 141, without a message, like any program that SIGPIPE ends
 *   not or only partly written --> 1, and the reason
 */
import type { ExitCode } from './command.ts';
import { EXIT_FAILED } from './failure.ts';
import { isReaderGone, type Output } from './output.ts';
import type { WriteDone } from './terminal.ts';

/** 128 plus the number of SIGPIPE. */
export const EXIT_READER_GONE = 141;

export interface Answers {
  write(text: string, done?: WriteDone): void;
  /** A lost answer no longer ends or fails the command, which has other work. */
  allowLoss(): void;
  readonly mayBeLost: boolean;
  /** For people; undefined: the answer was written, or its reader is gone. */
  readonly fault: string | undefined;
  exitCodeOf(code: ExitCode): ExitCode;
  settled(): Promise<void>;
}

interface AnswerEvents {
  /** Called once, unless the answer may be lost. */
  readerIsGone(): void;
}

export function createAnswers(out: Output, { readerIsGone }: AnswerEvents): Answers {
  let mayBeLost = false;
  let isUnread = false;
  let fault: string | undefined;

  function lose(why: Error): void {
    if (!isReaderGone(why)) {
      fault ??= `the answer could not be written to standard output: ${why.message}`;
    } else if (!isUnread) {
      isUnread = true;
      readerIsGone();
    }
  }

  return {
    write(text, done) {
      out.write(text, (failed) => {
        if (failed !== undefined && !mayBeLost) lose(failed);
        done?.(failed);
      });
    },
    allowLoss() {
      mayBeLost = true;
    },
    get mayBeLost() {
      return mayBeLost;
    },
    get fault() {
      return fault;
    },
    exitCodeOf(code) {
      if (isUnread) return EXIT_READER_GONE;
      return fault !== undefined && code === 0 ? EXIT_FAILED : code;
    },
    settled: out.settled,
  };
}
