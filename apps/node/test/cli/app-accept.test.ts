import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApplicationManifest, TableManifest } from '@slipstream/app/program';
import { to0x } from '@slipstream/primitives';
import { expect, onTestFinished, test } from 'vitest';
import { capturedTerminal } from '../../../../packages/command-line/test/captured-terminal.ts';
import { builtApplication, exampleSource } from '../../../../packages/execution/test/application-builders.ts';
import { upgradeFaults } from '../../src/artifacts/upgrade-faults.ts';
import { runCommandLine } from '../../src/cli/run.ts';

const [first, second] = await Promise.all([
  builtApplication(exampleSource('token')),
  builtApplication(new URL('../../../../packages/execution/test/applications/token-2.ts', import.meta.url)),
]);

test('app accept puts an artifact into the home, says what differs, and refuses one that cannot read what is there', async () => {
  const home = await mkdtemp(join(tmpdir(), 'slipstream-accept-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  await writeFile(join(home, 'one'), first.artifact);
  await writeFile(join(home, 'two'), second.artifact);
  const run = async (file: string) => {
    const terminal = capturedTerminal(home);
    const code = await runCommandLine(['app', 'accept', file, '--home', home], terminal);
    return { code, out: terminal.outLines.join('\n'), err: terminal.errLines.join('\n') };
  };
  const founding = await run('one');
  expect(founding.code, founding.err).toBe(0);
  const upgrade = await run('two');
  expect(upgrade.code, upgrade.err).toBe(0);
  expect(upgrade.out).toContain(`token version 2, artifact ${to0x(second.hash)}`);
  expect(upgrade.out.split('\n')).toEqual(
    expect.arrayContaining([
      'compared with version 1',
      '  ~ table balances: earlier, empty, value, version',
      '  + query changes',
    ]),
  );
  const back = await run('one');
  expect(back.code).not.toBe(0);
  expect(back.err).toContain('one cannot follow version 2 of token: table balances writes version 1, and wrote 2');
});

const [balances, allowances] = first.manifest.tables as readonly [TableManifest, TableManifest];
const withTables = (...tables: readonly TableManifest[]): ApplicationManifest => ({ ...first.manifest, tables });

test.for<readonly [string, ApplicationManifest, readonly string[]]>([
  ['the same', first.manifest, []],
  ['a table less', withTables(allowances), []],
  ['the next version', second.manifest, []],
  ['another number', withTables({ ...balances, number: 9 }), ['table balances has number 9, and had 0']],
  [
    'a number of another',
    withTables({ ...balances, name: 'purses' }),
    ['table purses has number 0, which is that of balances'],
  ],
  ['other keys', withTables({ ...balances, key: [] }), ['table balances has keys of another form']],
  [
    'another form of the same version',
    withTables({ ...balances, value: { form: 'u8' } }),
    ['table balances does not read values of version 1 in the form that they have'],
  ],
  [
    'a next version without a conversion',
    withTables({ ...balances, version: 2, value: { form: 'u8' } }),
    ['table balances does not read values of version 1 in the form that they have'],
  ],
])('an upgrade with %s has these faults', ([, after, faults]) => {
  expect(upgradeFaults(first.manifest, after)).toEqual(faults);
});
