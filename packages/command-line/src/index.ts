/** Commands with options, help and exit codes, and the process that they run in. Every program of this repository uses it. */
export { type Answers, createAnswers, EXIT_READER_GONE } from './answers.ts';
export { splitArguments } from './arguments.ts';
export { type Command, defineCommand, type ExitCode } from './command.ts';
export { EXIT_FAILED, failureOf } from './failure.ts';
export { amount, choice, count, counts, flag, type OptionValues, required, text, textOr } from './option.ts';
export { type Output, openOutputs } from './output.ts';
export { plainText } from './plain-text.ts';
export { PORT_MAX, portFaults } from './port-ranges.ts';
export { runProgram } from './program.ts';
export { runCommandTable, runOneCommand } from './run.ts';
export { inFolder, type Terminal, type WriteDone } from './terminal.ts';
export { usageError } from './usage-error.ts';
