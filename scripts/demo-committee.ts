/** npm run demo:committee: a committee that changes until none of its first keys is left. See demo/command.ts. */
import { runOneCommand, runProgram } from '@slipstream/command-line';
import { demoCommand } from './demo/command.ts';

await runProgram((words, terminal) => runOneCommand(demoCommand, words, terminal));
