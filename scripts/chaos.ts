/** npm run chaos: faults in a network of real processes. See chaos/command.ts. */
import { runProgram } from '../apps/node/src/cli/program.ts';
import { runOneCommand } from '../apps/node/src/cli/run.ts';
import { chaosCommand } from './chaos/command.ts';

await runProgram((words, terminal) => runOneCommand(chaosCommand, words, terminal));
