/** Nodes that do not belong to a chain are refused, each with a specific message, and the chain continues. */
import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import {
  createNodeProcess,
  eventually,
  freePortRange,
  makeChain,
  type NodeProcess,
  readChain,
  removeFolder,
  type TemporaryNetwork,
  temporaryFolder,
  temporaryNetwork,
  untilHeight,
} from '@slipstream/devnet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FAST_BLOCKS } from './fast-blocks.ts';

let network: TemporaryNetwork;
let elsewhere: string;
const started: NodeProcess[] = [];

beforeAll(async () => {
  // The network does not admit the full node's key.
  network = await temporaryNetwork({
    validators: 1,
    fullNodes: 1,
    flags: ['--network-full-nodes', '0', '--network-reserved', ''],
  });
  elsewhere = await temporaryFolder();
  await network.start(['validator-0']);
});

afterAll(async () => {
  await Promise.all(started.map((node) => node.stop()));
  await network?.remove();
  await removeFolder(elsewhere);
});

function saidBy(process: NodeProcess, words: RegExp): Promise<string> {
  return eventually(`a log line that matches ${words}`, 30_000, async () =>
    (await readFile(process.logFile, 'utf8')).split('\n').find((line) => words.test(line)),
  );
}

test('a peer with an unknown key is refused, and the refusal is logged', async () => {
  const validator = network.node('validator-0');
  const refusedNode = network.node('full-node-0');
  refusedNode.process.start();
  const line = await saidBy(validator.process, /"reason":"unknown-key"/);
  expect(line).toContain(refusedNode.peerKey);
  await refusedNode.process.stop();
});

test('a peer of another genesis is refused, and both nodes log it', async () => {
  const validator = network.node('validator-0');
  await network.stop();
  const base = await freePortRange(4);
  await makeChain(elsewhere, { validators: 1, fullNodes: 1, basePort: base, apiPort: base + 2 });
  const place = (await readChain(elsewhere)).find(({ name }) => name === 'full-node-0');
  if (place === undefined) throw new Error('the other chain has no full node');
  const address = `${validator.peerKey}@127.0.0.1:${validator.networkPort}`;
  const refusedNode = createNodeProcess({ ...place, flags: ['--network-peers', address] });
  started.push(refusedNode);
  // The validator now admits full nodes, so only the wrong chain remains to be refused.
  const open = createNodeProcess({ ...validator, flags: FAST_BLOCKS });
  started.push(open);
  open.start();
  refusedNode.start();
  await saidBy(refusedNode, /"reason":"other-chain"/);
  expect(await saidBy(open, /"reason":"other-chain"/)).toContain('another chain');
});

test('the chain finalizes blocks while it refuses unknown peers', async () => {
  const { client } = network.node('validator-0');
  const { height } = await client.status();
  await untilHeight({ ...network, nodes: [network.node('validator-0')] }, height + 3);
});

test('a node without its genesis does not start, and one whose key is of no validator says that it only follows', async () => {
  const [place] = await readChain(elsewhere);
  if (place === undefined) throw new Error('the other chain has no validator');
  const misplaced = createNodeProcess({ ...place, flags: ['--genesis', 'absent.json'] });
  started.push(misplaced);
  misplaced.start();
  await saidBy(misplaced, /cannot read the genesis file/);
  const genesis = relative(place.home, network.genesisFile);
  const flags = ['--genesis', genesis, '--sessions-committee-certificate', ''];
  const foreign = createNodeProcess({ ...place, flags });
  started.push(foreign);
  foreign.start();
  await saidBy(foreign, /is of no validator in epoch 0/);
});
