import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { capturedTerminal } from '../../../../packages/command-line/test/captured-terminal.ts';
import { COMMANDS } from '../../src/cli/commands.ts';
import { completionsOf } from '../../src/cli/completions.ts';
import { runCommandLine } from '../../src/cli/run.ts';

const run = promisify(execFile);

/** What bash offers; the last word is unfinished. */
async function offered(...words: readonly string[]): Promise<readonly string[]> {
  const line = ['slipstream', ...words];
  const ask = [
    completionsOf('bash', COMMANDS),
    `COMP_WORDS=(${line.map((word) => `'${word}'`).join(' ')})`,
    `COMP_CWORD=${line.length - 1}`,
    '_slipstream',
    'printf "%s\\n" "$' + '{COMPREPLY[@]}"',
  ];
  const { stdout } = await run('bash', ['-c', ask.join('\n')]);
  return stdout.split('\n').filter((word) => word !== '');
}

test('bash completes commands, their second words and their options', async () => {
  expect(await offered('do')).toEqual(['doctor']);
  expect(await offered('tx', 've')).toEqual(['verify-proof']);
  expect(await offered('status', '--wat')).toEqual(['--watch']);
  expect(await offered('keys', 'list', '--h')).toEqual(expect.arrayContaining(['--home', '--help']));
});

test('the fish script has every command and option', () => {
  const script = completionsOf('fish', COMMANDS);
  for (const { name, options } of COMMANDS) {
    expect(script).toContain(`-a ${name.split(' ').at(-1)} `);
    for (const option of Object.keys(options)) expect(script).toContain(`-l ${option} `);
  }
});

test('an unknown shell is rejected with the list of the known ones', async () => {
  const terminal = capturedTerminal('.');
  expect(await runCommandLine(['completion', 'tcsh'], terminal)).toBe(2);
  expect(terminal.errLines.join('\n')).toContain('bash, zsh, fish');
});
