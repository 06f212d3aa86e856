/** The integrators' examples, unchanged from the documentation, against a development chain. */
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '@slipstream/checkout';
import {
  type BlsKeyPair,
  buildTransaction,
  createClient,
  generateBlsKeyPair,
  generateKeyPair,
  type KeyPair,
  register,
  signTransaction,
} from '@slipstream/client';
import { type TemporaryNetwork, temporaryNetwork, untilHeight } from '@slipstream/devnet';
import { to0x, utf8 } from '@slipstream/primitives';
import { DISTILLED_DEFAULTS } from '@slipstream/types';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { FAST_BLOCKS } from './fast-blocks.ts';

const run = promisify(execFile);
const folder = join(root, 'docs/integrators/examples');
const RUN_MS_MAX = 60_000;
let network: TemporaryNetwork;
let url: string;
const payer = generateKeyPair();
const payee = generateKeyPair();

beforeAll(async () => {
  network = await temporaryNetwork({ validators: 1, distilled: DISTILLED_DEFAULTS, flags: FAST_BLOCKS });
  await network.start();
  url = network.nodes[0]?.url ?? '';
  await createClient({ url }).faucet(payer.accountText, { wait: 'final', timeoutMs: 20_000 });
});

afterAll(() => network?.remove());

const used = new Set<string>();

async function example(name: string, ...args: readonly string[]): Promise<string> {
  used.add(name);
  const { stdout } = await run(process.execPath, [join(folder, name), ...args], { timeout: RUN_MS_MAX });
  return stdout;
}

test('pay.ts pays; verify.ts and light.ts verify it with the genesis file alone', async () => {
  const paid = await example('pay.ts', url, to0x(payer.secret), payee.accountText, '7');
  expect(paid).toMatch(/final at height \d+/);
  expect((await createClient({ url }).account(payee.accountText)).balance).toBe('7');
  const id = /0x[0-9a-f]{64}/.exec(paid)?.[0] ?? '';
  const verified = await example('verify.ts', url, id, network.genesisFile);
  expect(verified).toContain('signature: passed');
  expect(verified).toContain('\nverified: success');
  const light = await example('light.ts', url, id, network.genesisFile);
  expect(light).toMatch(
    /^height \d+, state 0x[0-9a-f]{64}\nsuccess at height \d+, proven by http:.*\n\{.*"committeeHash".*\}\n$/,
  );
});

test('prove-balance.ts proves a balance and an absence with the genesis file alone', async () => {
  const holder = generateKeyPair();
  await createClient({ url }).faucet(holder.accountText, { amount: 12n, wait: 'final', timeoutMs: 20_000 });
  const proven = await example('prove-balance.ts', url, holder.accountText, network.genesisFile);
  expect(proven).toContain('signature: passed');
  expect(proven).toMatch(/\nproven: balance 12 at height \d+\n$/);
  const absent = await example('prove-balance.ts', url, generateKeyPair().accountText, network.genesisFile);
  expect(absent).toMatch(/\nproven: no such account at height \d+\n$/);
});

test('prove-balance.ts refuses a node that lies about balances', async () => {
  const liar = await temporaryNetwork({ validators: 1, flags: ['--development-false-balances', 'true'] });
  onTestFinished(() => liar.remove());
  await liar.start();
  const at = liar.nodes[0]?.url ?? '';
  const client = createClient({ url: at });
  const holder = generateKeyPair().accountText;
  await client.faucet(holder, { amount: 12n, wait: 'final', timeoutMs: 20_000 });
  expect((await client.account(holder)).balance).toBe('1000012');
  const { code, stdout } = await run(process.execPath, [join(folder, 'prove-balance.ts'), at, holder, liar.genesisFile])
    .catch((error: { readonly code: number; readonly stdout: string }) => error)
    .then((ended) => ({ code: 0, ...ended }));
  expect(code).toBe(1);
  expect(stdout).toContain('refused: the proof of the node does not hold at step path');
});

test('follow.ts prints the committed blocks', async () => {
  const output = await example('follow.ts', url, '3');
  const heights = [...output.matchAll(/block (\d+):/g)].map(([, height]) => Number(height));
  expect(heights).toHaveLength(3);
  expect(heights).toEqual(heights.map((_, at) => (heights[0] as number) + at));
});

test('pay-many.ts sends in batches and prints the outcome of each', async () => {
  const before = BigInt((await createClient({ url }).account(payee.accountText)).balance);
  expect(await example('pay-many.ts', url, to0x(payer.secret), payee.accountText, '60')).toBe('final: 60\n');
  expect(BigInt((await createClient({ url }).account(payee.accountText)).balance)).toBe(before + 60n);
});

test('session.ts signs in, signs by credential and by id, and is refused once it is revoked', async () => {
  const output = await example('session.ts', url, url, to0x(payer.secret), 'hello');
  expect(output).toMatch(/^acts for (0x02[0-9a-f]{64})\n(final at height \d+\n){2}refused: session-revoked\n$/);
  const account = /0x02[0-9a-f]{64}/.exec(output)?.[0] ?? '';
  const { value } = await createClient({ url }).accountData(account, 'note');
  expect(value).toBe(to0x(utf8('hello, again')));
});

async function enterDirectory(account: KeyPair): Promise<BlsKeyPair> {
  const client = createClient({ url });
  const genesisHash = await client.genesisHash();
  const bls = generateBlsKeyPair();
  const actions = [register(bls, { account: account.account, genesisHash })];
  const body = buildTransaction({ genesisHash, sender: account.account, actions, expiryMs: Date.now() + 50_000 });
  expect((await client.submitAndWait(signTransaction(body, account))).status).toBe('final');
  return bls;
}

test('distill.ts pays through a broker, and its outcome is proven', async () => {
  const client = createClient({ url });
  const { secret } = await enterDirectory(payer);
  await enterDirectory(payee);
  await untilHeight(network, (await client.status()).height + 17, 60_000);
  const before = BigInt((await client.account(payee.accountText)).balance);
  const args = [to0x(payer.secret), to0x(secret), payee.accountText, '9', network.genesisFile];
  expect(await example('distill.ts', url, ...args)).toMatch(/^success in block \d+, fee 0, row 0x[0-9a-f]{64}\n$/);
  expect(BigInt((await client.account(payee.accountText)).balance)).toBe(before + 9n);
});

test('every example is run', async () => {
  // Applications have tests of their own, in packages/app.
  const programs = (await readdir(folder)).filter((name) => name.endsWith('.ts'));
  expect([...used].sort()).toEqual(programs.sort());
});
