/** npm run loadgen: presses on a chain, and says what became of everything. See loadgen/command.ts. */
import { runProgram } from '../apps/node/src/cli/program.ts';
import { runOneCommand } from '../apps/node/src/cli/run.ts';
import { loadgenCommand } from './loadgen/command.ts';

await runProgram((words, terminal) => runOneCommand(loadgenCommand, words, terminal));
