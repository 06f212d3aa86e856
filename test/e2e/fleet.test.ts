/** The gateway of a development network: every node behind one address, with faults that can be injected and removed. */
import { request } from 'node:http';
import { createClient } from '@slipstream/client';
import {
  eventually,
  type FleetMember,
  type Gateway,
  startGateway,
  type TemporaryNetwork,
  temporaryNetwork,
  untilHeight,
} from '@slipstream/devnet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FAST_BLOCKS } from './fast-blocks.ts';

let network: TemporaryNetwork;
let gateway: Gateway;

beforeAll(async () => {
  network = await temporaryNetwork({ flags: ['--development-faults', 'true', ...FAST_BLOCKS] });
  await network.start();
  gateway = await startGateway(network, { port: 0, consoleFolder: undefined });
});

afterAll(async () => {
  await gateway?.stop();
  await network?.remove();
});

async function ask(order?: unknown, token = gateway.token) {
  const response = await fetch(`${gateway.url}/fleet`, {
    ...(order === undefined
      ? {}
      : {
          method: 'POST',
          body: JSON.stringify(order),
          headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        }),
  });
  const body = (await response.json()) as { readonly nodes?: readonly FleetMember[]; readonly detail?: string };
  return { status: response.status, nodes: body.nodes ?? [], detail: body.detail };
}

const through = (name: string) => createClient({ url: `${gateway.url}/fleet/${name}` });
const heightAt = async (name: string) => (await network.node(name).client.status()).height;

async function advanced(name: string, by: number): Promise<void> {
  const from = await heightAt(name);
  await eventually(
    `${name} ${by} blocks further`,
    60_000,
    async () => (await heightAt(name)) >= from + by || undefined,
  );
}

test('every node is reachable through the gateway, with its stream', async () => {
  const { nodes } = await ask();
  expect(nodes.map(({ name, path, process }) => [name, path, process])).toEqual(
    network.nodes.map(({ name }) => [name, `/fleet/${name}`, 'running']),
  );
  expect((await through('validator-2').status()).node.name).toBe('validator-2');
  const name = await new Promise<string>((resolve) => {
    const stream = through('validator-3').events({
      onState: ({ state }) => {
        stream.close();
        resolve(state.status.node.name);
      },
    });
  });
  expect(name).toBe('validator-3');
});

test('actions need the token, and a foreign host name is refused', async () => {
  expect(await ask({ act: 'stop', nodes: ['validator-0'] }, 'wrong')).toMatchObject({ status: 401 });
  expect(await ask({ act: 'explode', nodes: [] })).toMatchObject({ status: 400 });
  expect(await ask({ act: 'stop', nodes: ['nobody'] })).toMatchObject({ status: 409 });
  const { port } = new URL(gateway.url);
  const status = await new Promise((resolve, reject) => {
    const asked = request({ port, path: '/fleet', headers: { host: 'evil.example' } }, ({ statusCode }) =>
      resolve(statusCode),
    );
    asked.once('error', reject).end();
  });
  expect(status).toBe(403);
  expect(network.nodes.every(({ process }) => process.running)).toBe(true);
});

test('a partitioned node finalizes nothing while the others do, and catches up when healed', async () => {
  const { nodes } = await ask({ act: 'partition', nodes: ['validator-0'] });
  expect(nodes[0]?.cutFrom).toEqual(['validator-1', 'validator-2', 'validator-3']);
  const lonely = through('validator-0');
  await eventually(
    'validator-0 has no peer',
    30_000,
    async () => (await lonely.status()).peers.connected === 0 || undefined,
  );
  const stuckAt = await heightAt('validator-0');
  await advanced('validator-1', 10);
  expect(await heightAt('validator-0')).toBeLessThanOrEqual(stuckAt + 2);
  await ask({ act: 'heal', nodes: [] });
  await untilHeight(network, (await heightAt('validator-1')) + 1, 60_000);
});

test('a paused node does not respond, and continues when it is resumed', async () => {
  await ask({ act: 'pause', nodes: ['validator-3'] });
  expect((await ask()).nodes[3]?.process).toBe('paused');
  await advanced('validator-0', 5);
  await ask({ act: 'resume', nodes: ['validator-3'] });
  await untilHeight(network, (await heightAt('validator-0')) + 1, 60_000);
});

test('a stopped node is unreachable through the gateway, and reachable after its start', async () => {
  await ask({ act: 'stop', nodes: ['validator-1'] });
  expect((await fetch(`${gateway.url}/fleet/validator-1/v1/status`)).status).toBe(503);
  await ask({ act: 'start', nodes: ['validator-1'] });
  expect((await ask()).nodes[1]).toMatchObject({ process: 'running', restarts: 1 });
  await advanced('validator-1', 3);
});

test('a node starts while the chain stands still, and is not ready before the chain goes on', async () => {
  await ask({ act: 'partition', nodes: ['validator-0', 'validator-1'] });
  await ask({ act: 'stop', nodes: ['validator-1'] });
  await ask({ act: 'start', nodes: ['validator-1'] });
  expect((await ask()).nodes[1]).toMatchObject({ process: 'running' });
  await expect(through('validator-1').call('readyz')).rejects.toThrow();
  await ask({ act: 'heal', nodes: [] });
  await advanced('validator-1', 3);
});

test('a node that signs invalidly on request is found and blocked by the others', async () => {
  await ask({ act: 'corrupt', nodes: ['validator-2'] });
  const blocked = await eventually('validator-2 is blocked', 60_000, async () => {
    const { items } = await through('validator-0').peers();
    return items.find(({ validator, blocked: block }) => validator === 2 && block !== null);
  });
  expect(blocked.blocked?.reason).toBe('invalid-signature');
  expect((await ask({ act: 'restore', nodes: ['validator-2'] })).nodes[2]?.corrupt).toBe(false);
});
