/** npm run chaos: faults in a network of real processes. See chaos/command.ts. */
import { runOneCommand, runProgram } from '@slipstream/command-line';
import { chaosCommand } from './chaos/command.ts';

await runProgram((words, terminal) => runOneCommand(chaosCommand, words, terminal));
