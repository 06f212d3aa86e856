/** A light client and three nodes of a development chain, before one of which stands a proxy that lies. */

import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { createClient, generateKeyPair } from '@slipstream/client';
import { type LightClient, openLightClient } from '@slipstream/client/light';
import { type TemporaryNetwork, temporaryNetwork } from '@slipstream/devnet';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { FAST_BLOCKS } from './fast-blocks.ts';

let network: TemporaryNetwork;
let genesis: unknown;

beforeAll(async () => {
  network = await temporaryNetwork({ validators: 4, flags: FAST_BLOCKS });
  await network.start();
  genesis = JSON.parse(await readFile(network.genesisFile, 'utf8'));
}, 120_000);

afterAll(() => network?.remove());

const urlOf = (index: number) => network.nodes[index]?.url ?? '';

/** Streams pass unchanged. */
async function lyingProxy(target: string, lie: (path: string, answer: string) => string): Promise<string> {
  const { hostname, port } = new URL(target);
  const server: Server = createServer((request, response) => {
    const { method = 'GET' } = request;
    const headers = { 'content-type': 'application/json' };
    text(request)
      .then((body) => fetch(`${target}${request.url}`, { method, headers, ...(body !== '' && { body }) }))
      .then(async (answer) => {
        response.writeHead(answer.status, { 'content-type': 'application/json' });
        response.end(lie(request.url ?? '', await answer.text()));
      })
      .catch(() => response.destroy());
  });
  server.on('upgrade', (request, socket, head) => {
    const upstream = connect(Number(port), hostname, () => {
      const headers = request.rawHeaders.flatMap((value, at, all) =>
        at % 2 === 0 ? [`${value}: ${all[at + 1]}`] : [],
      );
      upstream.write(`GET ${request.url} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`);
      upstream.write(head);
      socket.pipe(upstream).pipe(socket);
    });
    upstream.on('error', () => socket.destroy());
    socket.on('error', () => upstream.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function opened(urls: readonly string[]): LightClient {
  const light = openLightClient({ genesis, urls });
  onTestFinished(() => light.close());
  return light;
}

const faultOf = (light: LightClient, url: string) => light.nodes().find((node) => node.url === url)?.lastFault?.code;

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 50));
}

test('false certificates exclude their node, and the head follows the others', async () => {
  const liar = await lyingProxy(urlOf(0), (path, sent) => {
    if (!path.startsWith('/v1/certificates/')) return sent;
    const answer = JSON.parse(sent);
    return JSON.stringify({
      ...answer,
      state: answer.state && { ...answer.state, stateDigest: `0x${'66'.repeat(32)}` },
    });
  });
  const light = opened([liar, urlOf(1), urlOf(2)]);
  const first = await light.headAt({ timeoutMs: 60_000 });
  await until(() => faultOf(light, liar) === 'false-certificate');
  const later = await light.headAt({ height: first.height + 5, timeoutMs: 60_000 });
  expect([urlOf(1), urlOf(2)]).toContain(later.node);
  const { state } = await createClient({ url: urlOf(3) }).certificates(later.height);
  expect(state?.stateDigest ?? later.stateDigest).toBe(later.stateDigest);
  const { value: block } = await light.block(later.height);
  expect(block.id).toBe(later.blockId);
  expect(light.conflict()).toBeUndefined();
}, 180_000);

test('a false receipt excludes its node, and another node proves the true one', async () => {
  const liar = await lyingProxy(urlOf(0), (path, answer) =>
    path.endsWith('/proof') ? answer.replace('"status":"final"', '"status":"failed"') : answer,
  );
  const payee = generateKeyPair();
  const { id } = await createClient({ url: urlOf(1) }).faucet(payee.accountText, { wait: 'final', timeoutMs: 20_000 });
  const alone = opened([liar]);
  await alone.headAt({ timeoutMs: 60_000 });
  await expect(alone.receipt(id)).rejects.toMatchObject({ code: 'unproven' });
  expect(faultOf(alone, liar)).toBe('false-proof');
  const light = opened([liar, urlOf(1)]);
  await light.headAt({ timeoutMs: 60_000 });
  const { value } = await light.receipt(id);
  expect(value.receipt.outcome.status).toBe('success');
}, 180_000);

test('a false balance excludes its node; another node proves the true one, and that an account does not exist', async () => {
  const payee = generateKeyPair().accountText;
  await createClient({ url: urlOf(1) }).faucet(payee, { amount: 77n, wait: 'final', timeoutMs: 20_000 });
  const value = (balance: number) => Buffer.from(BigUint64Array.of(BigInt(balance), 0n).buffer).toString('hex');
  const liar = await lyingProxy(urlOf(0), (path, answer) =>
    path === '/v1/state/proofs' ? answer.replaceAll(value(77), value(78)) : answer,
  );
  const light = opened([liar, urlOf(1)]);
  await light.headAt({ timeoutMs: 60_000 });
  await until(() => light.nodes().every(({ state }) => state === 'following'));
  expect((await light.account(payee)).value).toMatchObject({ balance: '77', exists: true });
  expect((await light.account(generateKeyPair().accountText)).value).toMatchObject({ balance: '0', exists: false });
  const alone = opened([liar]);
  await alone.headAt({ timeoutMs: 60_000 });
  await expect(alone.account(payee)).rejects.toMatchObject({ code: 'unproven' });
  expect(faultOf(alone, liar)).toBe('false-proof');
}, 180_000);
