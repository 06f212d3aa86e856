/** The program of `npm run loadgen`. */
import { runOneCommand, runProgram } from '@slipstream/command-line';
import { loadgenCommand } from './command/command.ts';

await runProgram((words, terminal) => runOneCommand(loadgenCommand, words, terminal));
