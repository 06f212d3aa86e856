/** A call that ticks do not end, in a running node: the watchdog stops it, and the action is in quarantine from the next start on. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createManifestJson } from '@slipstream/app/program';
import { buildApplication } from '@slipstream/app-build';
import { buildTransaction, generateKeyPair, signTransaction } from '@slipstream/client';
import { eventually, type TemporaryNetwork, temporaryNetwork } from '@slipstream/devnet';
import { DATA, HOME } from '@slipstream/node-home';
import { foundingApplication } from '@slipstream/node-home/applications';
import type { Action, GenesisHash } from '@slipstream/types';
import { afterAll, beforeAll, expect, test } from 'vitest';

const source = new URL('../../packages/execution/test/applications/heavy.ts', import.meta.url);
const NAME = 'validator-0';
/** The watchdog waits for 10 s. */
const STOP_MS_MAX = 60_000;
const sender = generateKeyPair();
let network: TemporaryNetwork;
let genesisHash: GenesisHash;
let actionOf: (name: string, input: object) => Action;
const deaths: (number | null)[] = [];

beforeAll(async () => {
  const { artifact, manifest } = await buildApplication(source.pathname, { isLockFrozen: true });
  const json = createManifestJson(manifest);
  actionOf = (name, input) => {
    const number = manifest.actions.find((each) => each.name === name)?.number ?? -1;
    return { kind: 'call', application: 'heavy', action: number, input: json.inputFromJson(number, input) };
  };
  network = await temporaryNetwork({ validators: 1, applications: [foundingApplication(artifact, {})] });
  network.onDeath((_, { code }) => void deaths.push(code));
  await network.start();
  genesisHash = await network.node(NAME).client.genesisHash();
});

afterAll(() => network?.remove());

function signed(name: string, input: object) {
  const terms = { genesisHash, sender: sender.account, expiryMs: Date.now() + 50_000, maxFee: 0n };
  return signTransaction(buildTransaction({ ...terms, actions: [actionOf(name, input)] }), sender);
}

const untilDeath = (count: number) =>
  eventually(`death ${count}`, STOP_MS_MAX, async () => (deaths.length >= count ? deaths[count - 1] : undefined));

test('the node stops with the names of transaction and action, and has listed the action', async () => {
  const { client, process, home } = network.node(NAME);
  expect((await client.submitAndWait(signed('set', { n: 3 }))).status).toBe('final');
  const endless = await client.submit(signed('hang', { times: 10_000 }));
  expect(await untilDeath(1)).toBe(1);
  const errors = (await process.errors()).join('\n');
  expect(errors).toContain(`transaction ${endless.id} calls heavy.hang, which has run for more than 10 s`);
  const listed = JSON.parse(await readFile(join(home, HOME.data, DATA.quarantine), 'utf8'));
  expect(listed).toMatchObject([{ application: 'heavy', name: 'hang', by: 'watchdog', transaction: endless.id }]);
});

test('started again, it refuses such calls, until it meets the final block once more', async () => {
  const { client } = network.node(NAME);
  await network.start([NAME], 'answers');
  expect((await client.call('quarantine')).items).toMatchObject([{ application: 'heavy', name: 'hang' }]);
  await expect(client.submit(signed('hang', { times: 1 }))).rejects.toThrow(
    'this node keeps calls of heavy.hang out of its blocks',
  );
  expect(await untilDeath(2)).toBe(1);
});
