/** npm run hosts: a network of real processes on machines that SSH reaches. See hosts/command.ts. */
import { runOneCommand, runProgram } from '@slipstream/command-line';
import { hostsCommand } from './hosts/command.ts';

await runProgram((words, terminal) => runOneCommand(hostsCommand, words, terminal));
