/** A full node with an empty folder takes over a snapshot, then follows. */
import { readFile } from 'node:fs/promises';
import { watchedLoad } from '@slipstream/app-loadgen';
import { generateKeyPair } from '@slipstream/client';
import { type TemporaryNetwork, temporaryNetwork, untilHeight } from '@slipstream/devnet';
import { afterAll, beforeAll, expect, test } from 'vitest';

const LATE = 'full-node-0';
/** Names no peers: validators call it. */
const CALLED = 'full-node-1';
const VALIDATORS = ['validator-0', 'validator-1', 'validator-2', 'validator-3'];
const FLAGS = ['--sync-distance', '15', '--sync-snapshot-every', '20', '--consensus-min-block-interval-ms', '50'];
let network: TemporaryNetwork;

beforeAll(async () => {
  network = await temporaryNetwork({
    validators: 4,
    fullNodes: 2,
    flags: FLAGS,
    flagsOf(node, all) {
      const called = all.filter(({ name }) => name !== LATE && name !== node.name && node.name !== CALLED);
      const peers = called.map(({ peerKey, networkPort }) => `${peerKey}@127.0.0.1:${networkPort}`);
      return node.name === LATE ? [] : ['--network-peers', peers.join(',')];
    },
  });
  await network.start(VALIDATORS);
});

afterAll(async () => {
  await network?.remove();
});

test('a full node that starts far behind installs the state, and serves the chain from there', async () => {
  const validators = { ...network, nodes: VALIDATORS.map(network.node) };
  const { load, watch } = await watchedLoad(validators, 50);
  await untilHeight(validators, 50, 90_000);
  await network.start([LATE]);
  const { client, process } = network.node(LATE);
  const log = await readFile(process.logFile, 'utf8');
  expect(log).toMatch(/state sync: at height [0-9]+/);
  const height = Number(/state sync: at height ([0-9]+)/.exec(log)?.[1]);
  expect(height).toBeGreaterThanOrEqual(20);

  const account = generateKeyPair().accountText;
  const paid = await client.faucet(account, { wait: 'final', timeoutMs: 20_000 });
  expect(paid.status).toBe('final');
  expect(paid.proof).toBeDefined();
  const final = load.sent.finalIds();
  await load.finish();
  watch.stop();
  expect([...final].length).toBeGreaterThan(0);
  const tip = (await client.status()).height;
  const [own, theirs] = await Promise.all([client.block(tip), network.node('validator-0').client.block(tip)]);
  expect(own.block).toEqual(theirs.block);
  expect(await process.errors()).toEqual([]);
});

test('a full node without configured peers installs the state from peers that dial it', async () => {
  await network.start([CALLED]);
  const log = await readFile(network.node(CALLED).process.logFile, 'utf8');
  expect(log).toMatch(/state sync: at height [0-9]+/);
});
