/** Which node a command asks, and which it trusts. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ADMIN_TOKEN, type RunningApi, runApi, startApi } from '../../../../packages/api/test/running-api.ts';
import { capturedTerminal } from '../../../../packages/command-line/test/captured-terminal.ts';
import { runCommandLine } from '../../src/cli/run.ts';

let folder: string;
let api: RunningApi;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipstream-cli-'));
  api = await runApi();
  const made = await run(`init --validators 1 --out chain --api-port ${api.port}`);
  expect(made.code, made.err).toBe(0);
  await writeFile(join(folder, 'chain/validator-0/keys/admin.token'), ADMIN_TOKEN);
});

afterAll(async () => {
  await api.stop();
  await rm(folder, { recursive: true, force: true });
});

async function run(line: string, environment: Readonly<Record<string, string>> = {}) {
  const terminal = { ...capturedTerminal(folder), environment };
  const code = await runCommandLine(line.split(' '), terminal);
  return { code, out: terminal.outLines.join('\n'), err: terminal.errLines.join('\n') };
}

test('--home selects the node by its configuration, unless a URL does', async () => {
  for (const line of ['status', 'admin audit', 'admin undrain', 'peers list --url']) {
    const named = line.endsWith('--url') ? `${line} ${api.url}` : `${line} --home chain/validator-0`;
    expect(await run(named)).toMatchObject({ code: 0, err: '' });
  }
  const unreachable = 'http://127.0.0.1:1';
  expect((await run(`status --home chain/validator-0 --url ${unreachable}`)).err).toContain(unreachable);
  expect((await run('status --home chain/validator-0', { SLIPSTREAM_URL: unreachable })).err).toContain(unreachable);
});

test('a node on all interfaces is reached on loopback; one on any free port needs --url', async () => {
  const everywhere = { SLIPSTREAM_API_HOST: '0.0.0.0' };
  expect((await run('status --home chain/validator-0', everywhere)).code).toBe(0);
  const { code, err } = await run('status --home chain/validator-0', { SLIPSTREAM_API_PORT: '0' });
  expect(code).toBe(2);
  expect(err).toContain('--url');
});

test('recover-history rejects the answer of a node that is not ready, unless the chain is stalled', async () => {
  const behind = await startApi({
    backend: { status: async () => ({ ...(await api.node.status()), ready: false, syncing: true }) },
  });
  const line = `keys recover-history --home chain/validator-0 --old-machine-is-stopped --url ${behind.url}`;
  const refused = await run(line);
  expect(refused.code).toBe(1);
  expect(refused.err).toContain('is not ready');
  // Its answer is of another chain.
  expect((await run(`${line} --chain-stands-still`)).err).toContain('another chain');
});
