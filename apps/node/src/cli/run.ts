import { type ExitCode, runCommandTable, type Terminal } from '@slipstream/command-line';
import { VERSION } from '../version.ts';
import { COMMANDS } from './commands.ts';

/** The command line of `slipstream`. */
export function runCommandLine(words: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const summary = 'a Byzantine-fault-tolerant node, and the tools around it.';
  return runCommandTable({ version: VERSION, summary, commands: COMMANDS }, words, terminal);
}
