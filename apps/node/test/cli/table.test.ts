import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { splitArguments } from '@slipstream/command-line';
import { CONFIG_KEYS, flagName } from '@slipstream/node-home';
import { expect, test } from 'vitest';
import { capturedTerminal } from '../../../../packages/command-line/test/captured-terminal.ts';
import { COMMANDS } from '../../src/cli/commands.ts';
import { completionsOf, SHELLS } from '../../src/cli/completions.ts';
import { runCommandLine } from '../../src/cli/run.ts';

/** Of `init`: where peers reach the nodes. */
const OTHER_MEANING: ReadonlySet<string> = new Set(['host', 'nodes']);

/** As a shell would pass them; `<` is the shell's. */
function wordsOf(example: string): readonly string[] {
  return (example.split(' < ')[0] as string).split(' ');
}

/** What a refused command line prints. */
async function refusalOf(words: readonly string[]): Promise<string> {
  const terminal = capturedTerminal('.');
  expect(await runCommandLine(words, terminal)).toBe(2);
  return terminal.errLines.join('\n');
}

test('every command has a unique name, and a valid example', () => {
  const names = COMMANDS.flatMap(({ name, aliases }) => [name, ...aliases]);
  expect(new Set(names).size).toBe(names.length);
  for (const command of COMMANDS) {
    const called = `slipstream ${command.name} `;
    expect(`${command.example} `.startsWith(called), command.example).toBe(true);
    const words = wordsOf(command.example).slice(called.trim().split(' ').length);
    expect(() => splitArguments(command, words), command.example).not.toThrow();
  }
});

test('help shows every command; a command shows its options and its example', async () => {
  const overview = capturedTerminal('.');
  expect(await runCommandLine(['--help'], overview)).toBe(0);
  for (const { name } of COMMANDS) expect(overview.outLines.join('\n')).toContain(`  ${name}`);
  for (const command of COMMANDS) {
    const terminal = capturedTerminal('.');
    expect(await runCommandLine([...command.name.split(' '), '--help'], terminal)).toBe(0);
    const help = terminal.outLines.join('\n');
    expect(help).toContain(command.example);
    for (const option of Object.keys(command.options)) expect(help).toContain(`--${option}`);
  }
});

test('a command group without a command lists its commands', async () => {
  const terminal = capturedTerminal('.');
  expect(await runCommandLine(['keys'], terminal)).toBe(2);
  expect(terminal.outLines.join('\n')).toContain('keys export-history');
  expect(terminal.outLines.join('\n')).not.toContain('wal inspect');
});

test.for([
  ['nod', 'node'],
  ['ini', 'init'],
  ['tx trasnfer', 'tx transfer'],
  ['tx verify', 'tx verify-proof'],
  ['stauts', 'status'],
  ['wal inspct', 'wal inspect'],
])('an unknown command suggests the nearest: "%s" means "%s"', async ([given, meant]) => {
  expect(await refusalOf((given as string).split(' '))).toContain(`did you mean "${meant}"?`);
});

test('--version prints the version of package.json', async () => {
  const terminal = capturedTerminal('.');
  expect(await runCommandLine(['--version'], terminal)).toBe(0);
  const { version } = JSON.parse(await readFile(join(import.meta.dirname, '../../package.json'), 'utf8'));
  expect(terminal.outLines).toEqual([version]);
});

test('all faults of a command line are reported at once, with the help command', async () => {
  const said = await refusalOf(['init', '--validtors', '--chain', 'one', '--chain', 'two', 'surplus', '--json=yes']);
  expect(said).toContain('there is no option --validtors; did you mean --validators?');
  expect(said).toContain('--chain is given twice');
  expect(said).toContain('there is no place for "surplus"');
  expect(said).toContain('--json takes no value');
  expect(said).toContain('See: slipstream init --help');
});

test.for([
  ['node --api.port 8555', 'there is no option --api.port; did you mean --api-port?'],
  ['node --apiPort=8555', 'there is no option --apiPort; did you mean --api-port?'],
  ['node --network.fullNodes 3', 'there is no option --network.fullNodes; did you mean --network-full-nodes?'],
  ['node --log_level warn', 'there is no option --log_level; did you mean --log-level?'],
  ['node --network-lisen 127.0.0.1:1', 'there is no option --network-lisen; did you mean --network-listen?'],
  ['node --network-port 9590', 'there is no option --network-port; there are --network-listen, --network-'],
  ['node --preset wan', 'there is no option --preset; did you mean --consensus-preset?'],
  ['init --api.port 8555', 'there is no option --api.port; did you mean --api-port?'],
  ['genesis accept chain.json --listen 127.0.0.1:1', 'did you mean --network-listen?'],
])('a setting has one form on every command line, which the rejection of others names: %s', async ([line, said]) => {
  expect(await refusalOf((line as string).split(' '))).toContain(said);
});

test('each configuration key is an option of the node, with a unique name', () => {
  const node = COMMANDS.find(({ name }) => name === 'node');
  const names = Object.keys(CONFIG_KEYS).map(flagName);
  expect(node?.settings).toEqual(names);
  const all = [...names, ...Object.keys(node?.options ?? {}), 'help'];
  expect(new Set(all).size).toBe(all.length);
  for (const name of names) expect(name).toMatch(/^[a-z]+(-[a-z]+)*$/);
  for (const shell of SHELLS) {
    const completions = completionsOf(shell, COMMANDS);
    for (const name of names) expect(completions).toContain(shell === 'fish' ? `-l ${name}` : `--${name}`);
  }
});

test('an option that sets a configuration key has the name of its flag', () => {
  const names = Object.keys(CONFIG_KEYS).map(flagName);
  const ofGroups = names.filter((name) => name.includes('-')).map((name) => name.slice(name.indexOf('-') + 1));
  const endings = ofGroups.filter((ending) => !OTHER_MEANING.has(ending));
  for (const { name, options } of COMMANDS.filter((command) => command.name !== 'node')) {
    for (const option of Object.keys(options)) expect(endings, `${name} --${option}`).not.toContain(option);
  }
});

test('values out of range are reported all at once', async () => {
  const terminal = capturedTerminal('.');
  const words = ['init', '--validators', '0', '--consensus-preset', 'moon', '--weights', '1,x', '--json'];
  expect(await runCommandLine(words, terminal)).toBe(2);
  const said = terminal.errLines.join('\n');
  for (const option of ['--validators', '--consensus-preset', '--weights']) expect(said).toContain(option);
  expect(JSON.parse(terminal.outLines.join('\n'))).toMatchObject({ error: { code: 'usage' } });
});

test('an unreachable node is reported, with exit code 1', async () => {
  const terminal = capturedTerminal('.');
  expect(await runCommandLine(['status', '--url', 'http://127.0.0.1:1'], terminal)).toBe(1);
  expect(terminal.errLines.join('\n')).toMatch(/no answer from http:\/\/127\.0\.0\.1:1/);
});
