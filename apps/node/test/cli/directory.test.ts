/** The account directory from the command line. */
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningApi, runApi } from '../../../../packages/api/test/running-api.ts';
import { capturedTerminal } from '../../../../packages/command-line/test/captured-terminal.ts';
import { runCommandLine } from '../../src/cli/run.ts';

let folder: string;
let api: RunningApi;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipstream-directory-'));
  api = await runApi();
});

afterAll(async () => {
  await api.stop();
  await rm(folder, { recursive: true, force: true });
});

async function run(line: string) {
  const terminal = capturedTerminal(folder);
  const code = await runCommandLine(line.split(' '), terminal);
  return { code, out: terminal.outLines.join('\n'), err: terminal.errLines.join('\n') };
}

test('a chain has a directory when init gets --directory', async () => {
  for (const [out, option] of [
    ['with', ' --directory'],
    ['without', ''],
  ]) {
    const made = await run(`init --validators 1 --out ${out}${option}`);
    expect(made.code, made.err).toBe(0);
    const { distilled } = JSON.parse(await readFile(join(folder, `${out}/genesis.json`), 'utf8'));
    expect(distilled?.registrationsPerBlock).toBe(option === '' ? undefined : 64);
  }
});

test('register makes a BLS key that only its owner can read, and uses it again', async () => {
  const line = `account register --key 0x${'07'.repeat(32)} --bls-key bls.key --wait no --url ${api.url}`;
  const first = await run(line);
  expect(first.code, first.err).toBe(0);
  const file = join(folder, 'bls.key');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const secret = await readFile(file, 'utf8');
  const again = await run(line);
  expect(again.code, again.err).toBe(0);
  expect(await readFile(file, 'utf8')).toBe(secret);
  const keyIn = (out: string) => /BLS key {2}(0x[0-9a-f]{192})/.exec(out)?.[1];
  expect(keyIn(first.out)).toBeDefined();
  expect(keyIn(again.out)).toBe(keyIn(first.out));
});

test('show says that nothing is verified without a genesis file, and refuses a proof that does not hold', async () => {
  const plain = await run(`directory show 3 --url ${api.url}`);
  expect(plain.code, plain.err).toBe(0);
  expect(plain.out).toContain('NOT VERIFIED');
  expect(JSON.parse((await run(`directory show 3 --json --url ${api.url}`)).out)).toMatchObject({ verified: false });
  const checked = await run(`directory show 3 --genesis with/genesis.json --url ${api.url}`);
  expect(checked.code).toBe(1);
  expect(checked.out).not.toContain('VERIFIED');
  expect((await run(`directory show four --url ${api.url}`)).code).toBe(2);
  const { err } = await run(`directory show 4 --url ${api.url}`);
  expect(err).toContain('no entry 4');
  expect(err).toContain('slipstream account register');
});
