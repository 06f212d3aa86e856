/** A full node that is connected to two of four validators follows one, and the other when that dies. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generateKeyPair, verifyProof } from '@slipstream/client';
import { blockIds, disagreements, eventually, type TemporaryNetwork, temporaryNetwork } from '@slipstream/devnet';
import { HOME } from '@slipstream/node-home';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { FAST_BLOCKS } from './fast-blocks.ts';

const FULL_NODE = 'full-node-0';
let network: TemporaryNetwork;

async function withTwoPeers(home: string): Promise<void> {
  const path = join(home, HOME.config);
  const config = parse(await readFile(path, 'utf8')) as { network: { peers: string[] } };
  config.network.peers = config.network.peers.slice(0, 2);
  await writeFile(path, stringify(config));
}

function newAccount(): string {
  return generateKeyPair().accountText;
}

/** The followed validator, from the log. */
async function upstreamOf(logFile: string): Promise<string> {
  const followed = [...(await readFile(logFile, 'utf8')).matchAll(/following validator ([0-9a-f]{64})/g)];
  const peerKey = followed.at(-1)?.[1];
  const found = network.nodes.find((node) => node.peerKey === peerKey);
  if (found === undefined) throw new Error('the full node follows no validator');
  return found.name;
}

beforeAll(async () => {
  network = await temporaryNetwork({ validators: 4, fullNodes: 1, flags: FAST_BLOCKS });
  await withTwoPeers(network.node(FULL_NODE).home);
  await network.start();
});

afterAll(async () => {
  await network?.remove();
});

test('a full node connected to two of four validators serves a transaction from submission to proof', async () => {
  const { client, home } = network.node(FULL_NODE);
  await eventually('two validators connected', 30_000, async () =>
    (await client.status()).peers.validators === 2 ? true : undefined,
  );
  const paid = await client.faucet(newAccount(), { wait: 'final', timeoutMs: 30_000 });
  expect(paid.status).toBe('final');
  const genesis: unknown = JSON.parse(await readFile(join(home, HOME.genesis), 'utf8'));
  const verified = verifyProof(await client.proof(paid.id), genesis);
  expect(verified.ok).toBe(true);
});

test('it follows the other validator when its upstream is killed, and a pending wait ends', async () => {
  const { client, process } = network.node(FULL_NODE);
  const upstream = await upstreamOf(process.logFile);
  const waiting = client.faucet(newAccount(), { wait: 'final', timeoutMs: 20_000 });
  await network.kill([upstream]);
  expect((await waiting).status).toBe('final');
  const next = await eventually('another upstream', 30_000, async () => {
    const now = await upstreamOf(process.logFile);
    return now === upstream ? undefined : now;
  });
  expect(next).not.toBe(upstream);
  const { height } = await client.status();
  await eventually('three more blocks at the full node', 30_000, async () =>
    (await client.status()).height >= height + 3 ? true : undefined,
  );
  const [own, theirs] = await Promise.all([blockIds(client), blockIds(network.node(next).client)]);
  expect(disagreements(own, theirs)).toEqual([]);
  expect((await client.status()).ready).toBe(true);
  expect(await process.errors()).toEqual([]);
});
