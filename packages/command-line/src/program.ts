/** Streams, signals, last messages and exit code of a command line. */
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answers, createAnswers, EXIT_READER_GONE } from './answers.ts';
import type { ExitCode } from './command.ts';
import { failureOf } from './failure.ts';
import { type Output, openOutputs } from './output.ts';
import { plainText } from './plain-text.ts';
import { createSignals, type Signals } from './signals.ts';
import type { Terminal } from './terminal.ts';

/** As a shell reports a process that SIGTERM ended. */
const EXIT_TERMINATED = 143;
/** A log's reader that stopped reading must not delay the end. */
const FLUSH_MS_MAX = 1_000;

/** Runs a program, and ends the process with its exit code. */
export async function runProgram(
  main: (words: readonly string[], terminal: Terminal) => Promise<ExitCode>,
): Promise<void> {
  const { out, err, interactive } = openOutputs();
  const endAtOnce = (error: unknown) => {
    const { exitCode, message } = failureOf(error);
    err.write(`slipstream: stopped at once: ${message}\n`);
    process.exit(exitCode);
  };
  process.on('uncaughtException', endAtOnce);
  process.on('unhandledRejection', endAtOnce);
  const signals = createSignals({
    source: process,
    nowMs: () => performance.now(),
    orphaned: () => process.exit(EXIT_TERMINATED),
  });
  const answers = createAnswers(out, {
    // A command that listens for signals stops in order; others end here, as by SIGPIPE.
    readerIsGone: () => signals.emit('SIGPIPE') || process.exit(EXIT_READER_GONE),
  });
  const code = await main(process.argv.slice(2), processTerminal({ answers, err, signals, interactive }));
  await Promise.race([answers.settled(), ...(answers.mayBeLost ? [sleep(FLUSH_MS_MAX)] : [])]);
  if (answers.fault !== undefined) err.write(`slipstream: ${answers.fault}\n`);
  await Promise.race([err.settled(), sleep(FLUSH_MS_MAX)]);
  process.exit(answers.exitCodeOf(code));
}

interface Parts {
  readonly answers: Answers;
  readonly err: Output;
  readonly signals: Signals;
  readonly interactive: boolean;
}

function processTerminal({ answers, err, signals, interactive }: Parts): Terminal {
  return {
    environment: process.env,
    folder: process.cwd(),
    interactive,
    out: (text, done) => answers.write(`${plainText(text)}\n`, done),
    outlivesOutput: answers.allowLoss,
    err: (text, done) => err.write(`${plainText(text)}\n`, done),
    draw: (text) => err.write(text),
    async readInput(bytesMax) {
      const bytes = await buffer(process.stdin);
      if (bytes.length > bytesMax) throw new RangeError(`standard input has more than ${bytesMax} bytes`);
      return bytes;
    },
    exit: (code) => process.exit(code),
    onSignals: signals.listen,
  };
}
