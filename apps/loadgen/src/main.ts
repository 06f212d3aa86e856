/** npm run loadgen: puts a load on a chain, and reports the outcome of each transaction. See command/command.ts. */
import { runOneCommand, runProgram } from '@slipstream/command-line';
import { loadgenCommand } from './command/command.ts';

await runProgram((words, terminal) => runOneCommand(loadgenCommand, words, terminal));
