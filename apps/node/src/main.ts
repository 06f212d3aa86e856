/** The program `slipstream`. */
import { runProgram } from './cli/program.ts';
import { runCommandLine } from './cli/run.ts';

await runProgram(runCommandLine);
