import type { Libp2p } from '@libp2p/interface';
import { afterEach, expect, test } from 'vitest';
import { identityFromSeed } from '../src/identity.ts';
import { createNode } from '../src/libp2p-node.ts';
import { applyDefaults } from '../src/options.ts';
import { boundPeerRecords } from '../src/peer-records.ts';
import { openBareLibp2p } from './bare-libp2p.ts';
import { genesisHash, realClock, seedOf } from './cluster.ts';

const PROTOCOL = '/anything';
const RECORDS_MAX = 3;
const running: Libp2p[] = [];

afterEach(async () => {
  await Promise.all(running.map((node) => node.stop()));
  running.length = 0;
});

async function startListener(): Promise<Libp2p> {
  const options = { seed: seedOf(0), genesisHash, listen: ['127.0.0.1:0'], peers: [], frameLimits: new Map() };
  const settings = applyDefaults({ ...options, admit: () => 'full-node' });
  const metering = { clock: realClock, throttled: () => {} };
  const node = await createNode(identityFromSeed(settings.seed).privateKey, {}, metering, settings);
  running.push(node);
  await node.handle(PROTOCOL, () => {});
  await node.start();
  return node;
}

/** A new key opens a stream and leaves. */
async function visit(node: Libp2p, index: number): Promise<void> {
  const { libp2p } = await openBareLibp2p(identityFromSeed(seedOf(index)).privateKey);
  running.push(libp2p);
  const connection = await libp2p.dial(node.getMultiaddrs());
  await connection.newStream(PROTOCOL);
  await libp2p.stop();
}

test('libp2p stores a bounded number of records of keys that connect once', async () => {
  const node = await startListener();
  boundPeerRecords(node, RECORDS_MAX);
  for (let index = 1; index <= 2 * RECORDS_MAX; index++) await visit(node, index);
  await expect.poll(async () => (await node.peerStore.all()).length).toBe(RECORDS_MAX);
});
