/** The guide for those who write applications, and what its commands end with, in processes of their own. */
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '@slipstream/checkout';
import { removeFolder, temporaryFolder } from '@slipstream/devnet';
import { expect, onTestFinished, test } from 'vitest';
import { followIntegratorsGuide } from './guide.ts';

const EXAMPLES = join(root, 'docs/integrators/examples/applications');
const RUN_MS_MAX = 120_000;

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function slipstream(folder: string, ...words: readonly string[]): Promise<Ended> {
  const args = ['--disable-warning=ExperimentalWarning', join(root, 'apps/node/bin/main.mjs'), ...words];
  return new Promise((done) => {
    const options = { cwd: folder, timeout: RUN_MS_MAX, env: { ...process.env, NO_COLOR: '1' } };
    execFile(process.execPath, args, options, (error, out, err) => {
      done({ code: error === null ? 0 : Number(error.code ?? -1), out, err });
    });
  });
}

test('the commands of write-an-application.md have the stated results, to its end', async () => {
  const { ok, output } = await followIntegratorsGuide('write-an-application.md');
  expect(ok, output.slice(-6000)).toBe(true);
  expect(output).toContain('the guide was followed to its end');
});

test('the tests of an example pass; one that fails is named, and the exit code is 1', async () => {
  const folder = await temporaryFolder();
  onTestFinished(() => removeFolder(folder));
  const [source, tests] = await Promise.all(
    ['tickets.ts', 'tickets.test.ts'].map((name) => readFile(join(EXAMPLES, name), 'utf8')),
  );
  await mkdir(join(folder, 'sound'));
  await writeFile(join(folder, 'sound/tickets.ts'), String(source));
  await writeFile(join(folder, 'sound/tickets.test.ts'), String(tests));
  const passed = await slipstream(folder, 'app', 'test', 'sound/tickets.ts', '--json');
  expect(passed).toMatchObject({ code: 0, out: '{"files":1,"passed":3,"failed":0}\n' });
  await writeFile(join(folder, 'sound/tickets.ts'), String(source).replace("fail('sold-out')", "fail('no-seats')"));
  const failed = await slipstream(folder, 'app', 'test', 'sound/tickets.ts');
  expect(failed.code).toBe(1);
  expect(failed.out).toContain('seats are taken until there are none');
  expect(failed.out).toContain('take failed with no-seats');
});
