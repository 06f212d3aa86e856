import { runProgram } from '@slipstream/command-line';
import { runCommandLine } from './run.ts';

/** Runs this process's command line, and ends the process. */
export const run = (): Promise<void> => runProgram(runCommandLine);
