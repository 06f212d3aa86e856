/**
 * Runs a command line, and reports its errors.
 *
 *   words --> command (one word or two) --> --help? --> options, arguments --> run --> exit code
 */

import { VERSION } from '../version.ts';
import { splitArguments } from './arguments.ts';
import type { Command, ExitCode } from './command.ts';
import { COMMANDS } from './commands.ts';
import { failureOf } from './failure.ts';
import { commandHelp, overviewHelp } from './help.ts';
import { nearest } from './nearest.ts';
import type { Terminal } from './terminal.ts';
import { usageError } from './usage-error.ts';

export function runCommandLine(words: readonly string[], terminal: Terminal): Promise<ExitCode> {
  return reportingFailures(words, terminal, () => dispatch(words, terminal));
}

/** `words` are options of the one command. */
export function runOneCommand(command: Command, words: readonly string[], terminal: Terminal): Promise<ExitCode> {
  return reportingFailures(words, terminal, () => runCommand(command, words, terminal));
}

async function reportingFailures(
  words: readonly string[],
  terminal: Terminal,
  run: () => Promise<ExitCode>,
): Promise<ExitCode> {
  try {
    return await run();
  } catch (error) {
    const { exitCode, code, message } = failureOf(error);
    if (words.includes('--json')) terminal.out(JSON.stringify({ error: { code, message } }));
    terminal.err(`slipstream: ${message}`);
    return exitCode;
  }
}

async function dispatch(words: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const found = findCommand(words);
  if (found !== undefined) return await runCommand(found.command, found.rest, terminal);
  if (words.length === 1 && words[0] === '--version') {
    terminal.out(VERSION);
    return 0;
  }
  const named = words.filter((word) => !word.startsWith('-'));
  const group = COMMANDS.filter(({ name }) => name.startsWith(`${named[0]} `));
  if (named.length === 0 && (words.length === 0 || asksForHelp(words) || words.includes('-h'))) {
    terminal.out(overviewHelp(COMMANDS));
    return words.length === 0 ? 2 : 0;
  }
  if (named[0] === 'help' || (group.length > 0 && named.length === 1)) {
    terminal.out(overviewHelp(group.length > 0 ? group : COMMANDS));
    return asksForHelp(words) || named[0] === 'help' ? 0 : 2;
  }
  throw unknownCommand(named, group);
}

async function runCommand(command: Command, words: readonly string[], terminal: Terminal): Promise<ExitCode> {
  if (!asksForHelp(words)) return await command.run(splitArguments(command, words), terminal);
  terminal.out(commandHelp(command));
  return 0;
}

function findCommand(words: readonly string[]): { command: Command; rest: readonly string[] } | undefined {
  for (const length of [2, 1]) {
    const name = words.slice(0, length).join(' ');
    const command = COMMANDS.find((known) => known.name === name || known.aliases.includes(name));
    if (command !== undefined) return { command, rest: words.slice(length) };
  }
  return undefined;
}

function asksForHelp(words: readonly string[]): boolean {
  const end = words.indexOf('--');
  return words.slice(0, end === -1 ? undefined : end).some((word) => word === '--help' || word === '-h');
}

function unknownCommand(named: readonly string[], group: readonly Command[]): Error {
  const given = (group.length > 0 ? named.slice(0, 2) : named.slice(0, 1)).join(' ');
  const words = COMMANDS.flatMap(({ name }) => [name, name.split(' ')[0] as string]);
  const meant = nearest(named.slice(0, 2).join(' '), words) ?? nearest(given, words);
  const suggestion = meant === undefined ? '' : `; did you mean "${meant}"?`;
  return usageError('slipstream', [`there is no command "${given}"${suggestion}`]);
}
