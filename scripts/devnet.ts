/** npm run devnet: a network of real processes on this machine. See devnet/command.ts. */
import { runProgram } from '../apps/node/src/cli/program.ts';
import { runOneCommand } from '../apps/node/src/cli/run.ts';
import { devnetCommand } from './devnet/command.ts';

await runProgram((words, terminal) => runOneCommand(devnetCommand, words, terminal));
