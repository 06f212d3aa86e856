/** Output of a script without a command line: its answer, and messages. The exit code shows a lost answer. */
import { type Answers, createAnswers, EXIT_READER_GONE, type Output, openOutputs } from '@slipstream/command-line';

interface Printing {
  readonly answers: Answers;
  readonly err: Output;
}

let printing: Printing | undefined;

/** Lines to standard output. Ends the process with 141 when the reader is gone. */
export function print(text: string): void {
  printing ??= openPrinting();
  printing.answers.write(`${text}\n`);
}

export function warn(text: string): void {
  printing ??= openPrinting();
  printing.err.write(`${text}\n`);
}

function openPrinting(): Printing {
  const { out, err } = openOutputs();
  const answers = createAnswers(out, { readerIsGone: () => process.exit(EXIT_READER_GONE) });
  process.on('exit', (code) => {
    if (answers.fault !== undefined) err.write(`${answers.fault}\n`);
    process.exitCode = answers.exitCodeOf(code);
  });
  return { answers, err };
}
