/**
 * docker-compose.yml, really run: four validators and a full node, queried through the published port. The tests follow one network, in
 * order.
 */
import { readFile } from 'node:fs/promises';
import {
  buildTransaction,
  type Client,
  ClientError,
  createClient,
  generateKeyPair,
  signTransaction,
  transfer,
  verifyProof,
} from '@slipstream/client';
import { signedAt } from '@slipstream/devnet';
import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest';
import { type Project, run } from './engine.ts';
import { eventually, type RunningChain, SERVICES, startChain } from './running-chain.ts';

/** A chain accepts transactions that expire within a minute. */
const EXPIRY_MS = 50_000;

let chain: RunningChain;
let project: Project;
let client: Client;
let url: string;

beforeAll(async () => {
  chain = await startChain('test');
  ({ project, client, url } = chain);
});

afterAll(() => chain?.remove());

/** Pays from a faucet-funded account to another; resolves once that is final. */
async function payThroughPort() {
  const [payer, payee] = [generateKeyPair(), generateKeyPair()];
  const gift = await client.faucet(payer.accountText, { wait: 'final', timeoutMs: 30_000 });
  expect(gift.status).toBe('final');
  const body = buildTransaction({
    genesisHash: await client.genesisHash(),
    sender: payer.account,
    actions: [transfer(payee.accountText, 5n)],
    expiryMs: Date.now() + EXPIRY_MS,
  });
  const view = await client.submitAndWait(signTransaction(body, payer));
  expect(view.status).toBe('final');
  expect((await client.account(payee.accountText)).balance).toBe('5');
  return view;
}

test('every container becomes healthy, and blocks become final', async () => {
  onTestFailed(async () => console.error(await project.logs()));
  await chain.allHealthy();
  const { finalHeight } = await client.status();
  await chain.finalFrom(finalHeight + 3);
});

test('the console and the API description are served at the published port', async () => {
  const [page, description] = await Promise.all([fetch(`${url}/`), fetch(`${url}/openapi.json`)]);
  expect(page.headers.get('content-type')).toMatch(/^text\/html/);
  expect(await page.text()).toContain('<script');
  expect(description.status).toBe(200);
});

test('a transfer sent through the published port becomes final, and its proof verifies with genesis alone', async () => {
  const { id } = await payThroughPort();
  const verified = verifyProof(await client.proof(id), await client.genesis());
  expect(verified.ok).toBe(true);
});

test('a container runs as an ordinary user, without capabilities, on a root file system that cannot be written', async () => {
  const container = await project.container('validator', 1);
  const inContainer = (script: string) => run(['docker', 'exec', container, 'sh', '-c', script]);
  expect(await inContainer('id -u')).toBe('1000');
  expect(await inContainer('grep CapEff /proc/self/status')).toMatch(/0{16}$/);
  expect(await inContainer('touch /slipstream/x /etc/x 2>&1; ls /slipstream/x /etc/x 2>/dev/null; true')).not.toMatch(
    /^\/(slipstream|etc)\/x$/m,
  );
});

test('the image contains no key: keys are in volumes, and the published node has none of validators', async () => {
  const names = ['*.key', '*.seed', '*.token', '*.password', '*keystore.json'].map((name) => `-name '${name}'`);
  const search = `find / -xdev -type f \\( ${names.join(' -o ')} \\)`;
  expect(
    await run(['docker', 'run', '--rm', '--user', '0', '--entrypoint', 'sh', 'slipstream:local', '-c', search]),
  ).toBe('');
  const fullNode = await project.container('full-node');
  expect(await run(['docker', 'exec', fullNode, 'ls', '/var/lib/slipstream/validators'])).toBe('');
});

test('admin routes at the published port require the token', async () => {
  const refused = await client.unblockPeer(`0x${'00'.repeat(32)}`).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(ClientError);
  expect((refused as ClientError).problem?.code).toBe('unauthorized');
  const token = await run([
    'docker',
    'exec',
    await project.container('full-node'),
    'cat',
    '/var/lib/slipstream/full-node/keys/admin.token',
  ]);
  const admin = createClient({ url, token });
  const unknown = await admin.unblockPeer(`0x${'00'.repeat(32)}`).catch((error: unknown) => error);
  expect((unknown as ClientError).problem?.code).toBe('peer-unknown');
});

test('the init service leaves an existing chain unchanged, and refuses another number of validators', async () => {
  const { genesisHash } = await client.status();
  expect(await project.compose('run', '--rm', '-T', 'chain')).toContain('the chain is there, with 4 validators');
  const other = await project.attemptCompose({ SLIPSTREAM_VALIDATORS: '5' }, 'run', '--rm', '-T', 'chain');
  expect(other.code).not.toBe(0);
  expect(other.text).toContain('this chain was made with 4 validators');
  expect((await client.status()).genesisHash).toBe(genesisHash);
});

test('blocks stay final with one validator killed; restarted, it is healthy and its signature counts', async () => {
  onTestFailed(async () => console.error(await project.logs()));
  const victim = await project.container('validator', 3);
  await run(['docker', 'kill', victim]);
  const { finalHeight } = await client.status();
  await chain.finalFrom(finalHeight + 5);
  await payThroughPort();

  await run(['docker', 'start', victim]);
  const fromHeight = (await client.status()).finalHeight + 1;
  await chain.allHealthy();
  let height = fromHeight;
  await eventually('a certificate with the signature of validator 2', async () => {
    const { finalHeight: newest } = await client.status();
    for (; height <= newest; height++) if (await signedAt(client, 2, height)) return true;
    return undefined;
  });
});

test('all containers stop within ten seconds, and continue from the same height', async () => {
  const { finalHeight, genesisHash } = await client.status();
  await project.compose('stop', '--timeout', '10');
  for (const [service, number] of SERVICES) {
    // 137 would be the engine's SIGKILL.
    expect(await project.inspect(await project.container(service, number), '{{.State.ExitCode}}')).toBe('0');
  }
  await project.compose('up', '-d');
  await chain.finalFrom(finalHeight + 3);
  expect((await client.status()).genesisHash).toBe(genesisHash);
});

test('a running node has every metric of alerts and dashboard', async () => {
  // Some appear with the first transaction.
  await payThroughPort();
  // A validator has metrics that a full node lacks.
  const ask = "fetch('http://127.0.0.1:8080/metrics').then((r) => r.text()).then((text) => console.log(text))";
  const inside = await run(['docker', 'exec', await project.container('validator', 1), 'node', '-e', ask]);
  const scraped = `${await (await fetch(`${url}/metrics`)).text()}\n${inside}`;
  const folder = new URL('../../scripts/containers/monitoring/', import.meta.url);
  const files = await Promise.all(
    ['alerts.yml', 'slipstream-dashboard.json'].map((name) => readFile(new URL(name, folder), 'utf8')),
  );
  // This chain has no account directory, so no broker.
  const used = new Set(files.flatMap((text) => text.match(/\bslipstream_(?!broker_)[a-z0-9_]+/g) ?? []));
  expect(used.size).toBeGreaterThan(5);
  expect([...used].filter((name) => !new RegExp(`^${name}[{ ]`, 'm').test(scraped))).toEqual([]);
});

test('the monitoring profile is valid', async () => {
  const services = (await project.compose('--profile', 'monitoring', 'config', '--services')).split('\n');
  expect(services).toEqual(expect.arrayContaining(['prometheus', 'grafana', 'full-node']));
});

test('"down -v" leaves nothing', async () => {
  await project.compose('down', '--volumes', '--timeout', '10');
  expect(await project.leftovers()).toEqual([]);
});
