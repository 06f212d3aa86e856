/** What `slipstream distill` refuses before it contacts a broker, and what it reports once. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningApi, runApi } from '../../../../packages/api/test/running-api.ts';
import { capturedTerminal } from '../../../../packages/command-line/test/captured-terminal.ts';
import { runCommandLine } from '../../src/cli/run.ts';

let folder: string;
let api: RunningApi;

const ACCOUNT = `0x01${'3b'.repeat(32)}`;

async function run(line: string, input: string | Uint8Array = '') {
  const bytes = typeof input === 'string' ? new TextEncoder().encode(input) : input;
  const terminal = capturedTerminal(folder, bytes);
  const code = await runCommandLine(line.split(' '), terminal);
  return { code, out: terminal.outLines.join('\n'), err: terminal.errLines.join('\n') };
}

function gateway(input: string | Uint8Array) {
  return run(`distill gateway --accounts accounts.json --genesis chain/genesis.json --url ${api.url}`, input);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipstream-distill-'));
  api = await runApi();
  const made = [
    await run('init --validators 1 --out chain --directory'),
    await run('keys new account --out alice.key'),
    await run(`account register --key alice.key --bls-key alice.bls.key --wait no --url ${api.url}`),
  ];
  for (const { code, err } of made) expect(code, err).toBe(0);
  await writeFile(join(folder, 'accounts.json'), JSON.stringify([{ key: 'alice.key', blsKey: 'alice.bls.key' }]));
});

afterAll(async () => {
  await api?.stop();
  await rm(folder, { recursive: true, force: true });
});

test('the payee of a transfer is an account or an index', async () => {
  const line = `distill transfer --amount 5 --key alice.key --bls-key alice.bls.key --genesis chain/genesis.json --url ${api.url}`;
  for (const to of ['bob', '0x01', String(2 ** 32), '-1', '01']) {
    const { code, err } = await run(`${line} --to ${to}`);
    expect(code, err).toBe(2);
    expect(err).toContain(`--to must be a number below 2^32 or an account, not "${to}"`);
  }
});

test('a gateway names the line of its input that is no transfer, and sends none', async () => {
  const good = JSON.stringify({ from: ACCOUNT, to: 7, amount: '5' });
  for (const bad of [
    'no JSON',
    '[]',
    'null',
    JSON.stringify({ from: 'alice', to: 7, amount: '5' }),
    JSON.stringify({ from: ACCOUNT, to: -1, amount: '5' }),
    JSON.stringify({ from: ACCOUNT, to: 1.5, amount: '5' }),
    JSON.stringify({ from: ACCOUNT, to: 7, amount: 5 }),
    JSON.stringify({ from: ACCOUNT, to: 7, amount: String(2n ** 64n) }),
    JSON.stringify({ from: ACCOUNT, to: 7, amount: '5', tag: 2 ** 32 }),
  ]) {
    const { code, err, out } = await gateway(`${good}\n\n${bad}\n`);
    expect(code, bad).toBe(2);
    expect(err).toContain(`line 3 is no {"from": ACCOUNT or INDEX`);
    expect(out).toBe('');
  }
});

test('a gateway says when its input is no text', async () => {
  const { code, err } = await gateway(new Uint8Array([0xff, 0xfe, 0x00]));
  expect(code, err).toBe(2);
  expect(err).toContain('standard input is no text in UTF-8');
});

test('a gateway reports once what no transfer could pass', async () => {
  const transfer = JSON.stringify({ from: ACCOUNT, to: 7, amount: '5' });
  const { code, err, out } = await gateway(`${transfer}\n${transfer}\n${transfer}\n`);
  expect(code, err).toBe(1);
  expect(out).toBe('');
  expect(err.match(/is a node of the chain/g), err).toHaveLength(1);
});
