/**
 * Runs a command line: finds the command in the table, splits its arguments, runs it, reports its errors.
 *
 *   words --> command (one word or two) --> --help? --> options, arguments --> run --> exit code
 */
import { splitArguments } from './arguments.ts';
import type { Command, ExitCode } from './command.ts';
import { failureOf } from './failure.ts';
import { commandHelp, overviewHelp } from './help.ts';
import { nearest } from './nearest.ts';
import type { Terminal } from './terminal.ts';
import { usageError } from './usage-error.ts';

interface CommandTable {
  readonly version: string;
  readonly summary: string;
  readonly commands: readonly Command[];
}

/** For a program with many commands: the first words name one. */
export function runCommandTable(table: CommandTable, words: readonly string[], terminal: Terminal): Promise<ExitCode> {
  return reportingFailures(words, terminal, () => dispatch(table, words, terminal));
}

/** For a program with one command: `words` are its options. */
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

async function dispatch(
  { version, summary, commands }: CommandTable,
  words: readonly string[],
  terminal: Terminal,
): Promise<ExitCode> {
  const found = findCommand(commands, words);
  if (found !== undefined) return await runCommand(found.command, found.rest, terminal);
  if (words.length === 1 && words[0] === '--version') {
    terminal.out(version);
    return 0;
  }
  const named = words.filter((word) => !word.startsWith('-'));
  const group = commands.filter(({ name }) => name.startsWith(`${named[0]} `));
  if (named.length === 0 && (words.length === 0 || asksForHelp(words) || words.includes('-h'))) {
    terminal.out(overviewHelp(summary, commands));
    return words.length === 0 ? 2 : 0;
  }
  if (named[0] === 'help' || (group.length > 0 && named.length === 1)) {
    terminal.out(overviewHelp(summary, group.length > 0 ? group : commands));
    return asksForHelp(words) || named[0] === 'help' ? 0 : 2;
  }
  throw unknownCommand(commands, named, group);
}

async function runCommand(command: Command, words: readonly string[], terminal: Terminal): Promise<ExitCode> {
  if (!asksForHelp(words)) return await command.run(splitArguments(command, words), terminal);
  terminal.out(commandHelp(command));
  return 0;
}

function findCommand(
  commands: readonly Command[],
  words: readonly string[],
): { command: Command; rest: readonly string[] } | undefined {
  for (const length of [2, 1]) {
    const name = words.slice(0, length).join(' ');
    const command = commands.find((known) => known.name === name || known.aliases.includes(name));
    if (command !== undefined) return { command, rest: words.slice(length) };
  }
  return undefined;
}

function asksForHelp(words: readonly string[]): boolean {
  const end = words.indexOf('--');
  return words.slice(0, end === -1 ? undefined : end).some((word) => word === '--help' || word === '-h');
}

function unknownCommand(commands: readonly Command[], named: readonly string[], group: readonly Command[]): Error {
  const given = (group.length > 0 ? named.slice(0, 2) : named.slice(0, 1)).join(' ');
  const known = commands.flatMap(({ name }) => [name, name.split(' ')[0] as string]);
  const meant = nearest(named.slice(0, 2).join(' '), known) ?? nearest(given, known);
  const suggestion = meant === undefined ? '' : `; did you mean "${meant}"?`;
  return usageError('slipstream', [`there is no command "${given}"${suggestion}`]);
}
