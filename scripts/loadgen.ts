/** npm run loadgen: puts a load on a chain, and reports the outcome of each transaction. See loadgen/command.ts. */
import { runProgram } from '../apps/node/src/cli/program.ts';
import { runOneCommand } from '../apps/node/src/cli/run.ts';
import { loadgenCommand } from './loadgen/command.ts';

await runProgram((words, terminal) => runOneCommand(loadgenCommand, words, terminal));
