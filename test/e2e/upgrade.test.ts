/**
 * A new version of the rules is installed node by node under load, and begins at the end of an epoch. The node that was not upgraded commits that
 * epoch's last block, stops and says what to install; with the new program it goes on in the same folder.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { watchedLoad } from '@slipstream/app-loadgen';
import { createBlsSigner } from '@slipstream/crypto/native';
import {
  type ClusterNode,
  createNodeProcess,
  eventually,
  type NodeProcess,
  type TemporaryNetwork,
  temporaryNetwork,
  untilHeight,
} from '@slipstream/devnet';
import { HOME } from '@slipstream/node-home';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readBlsKey } from '../../packages/node-home/src/folder/node-keys.ts';
import { announceReady, decide, operatorOf, untilEpoch } from './governing.ts';

const MS_MAX = 120_000;
const UPGRADED = ['--development-rules-version', '2'];
const LATE = 'validator-3';
let network: TemporaryNetwork;
let running: Awaited<ReturnType<typeof watchedLoad>>;
const upgraded: NodeProcess[] = [];

beforeAll(async () => {
  network = await temporaryNetwork({ validators: 4 });
  await network.start();
  running = await watchedLoad(network, 20);
  await untilHeight(network, 5, MS_MAX);
}, MS_MAX);

afterAll(async () => {
  running?.watch.stop();
  await Promise.all(upgraded.map((process) => process.stop()));
  await network?.remove();
});

const node = (index: number): ClusterNode => network.node(`validator-${index}`);

/** Installs the program that knows version 2. */
async function upgrade(which: ClusterNode): Promise<void> {
  await which.process.stop();
  const process = createNodeProcess({ ...which, flags: UPGRADED });
  upgraded.push(process);
  process.start();
  await eventually(`${which.name} signs again`, MS_MAX, async () =>
    (await which.client.status()).signing?.state === 'signing' ? true : undefined,
  );
}

async function keysOf({ home, peerKey }: ClusterNode) {
  const blsSecret = await readBlsKey(join(home, HOME.blsKeystore), join(home, HOME.blsPassword));
  return { blsSecret, blsPublicKey: createBlsSigner(blsSecret).publicKey, peerKey: peerKey as never };
}

test('a version begins once more than two thirds know it; the last node stops, and goes on when it is upgraded', async () => {
  const operators = await Promise.all([0, 1, 2].map((index) => operatorOf(node(index))));
  await decide(node(0).client, operators, { kind: 'setVersion', version: 2 });
  for (const index of [0, 1, 2]) await upgrade(node(index));
  for (const index of [0, 1, 2]) await announceReady(node(0).client, await keysOf(node(index)), 2);
  await untilEpoch({ nodes: [node(0), node(1), node(2)] }, 1);
  const late = network.node(LATE);
  await eventually(`${LATE} stops`, MS_MAX, async () => (late.process.running ? undefined : true));
  const log = await readFile(late.process.logFile, 'utf8');
  expect(log).toContain('Install a program that knows the version');
  const again = createNodeProcess({ ...late, flags: [] });
  upgraded.push(again);
  again.start();
  await eventually('the old program refuses the folder', MS_MAX, async () => (again.running ? undefined : true));
  await upgrade(late);
  await untilEpoch(network, 1);
  const { height } = await node(0).client.status();
  await untilHeight(network, height + 20, MS_MAX);
  await running.load.finish();
  expect(running.load.sent.lost()).toEqual([]);
});
