/** npm run devnet: a network of real processes on this machine. See devnet/command.ts. */
import { runOneCommand, runProgram } from '@slipstream/command-line';
import { devnetCommand } from './devnet/command.ts';

await runProgram((words, terminal) => runOneCommand(devnetCommand, words, terminal));
