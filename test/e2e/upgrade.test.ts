/**
 * A new version of the rules is installed node by node under load. It begins at the end of an epoch, once the nodes reported that they know
 * it. The node that was not upgraded commits that epoch's last block, stops and says what to install; with the new program it goes on in the
 * same folder. An older program may come back until the version is sealed, and refuses the folder once it is in force.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { watchedLoad } from '@slipstream/app-loadgen';
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
import { afterEach, beforeEach, expect, test } from 'vitest';
import { decide, operatorOf, untilEpoch } from '../../scripts/devnet/governing.ts';
import { changedFiles, fileDigests } from './file-digests.ts';
import { playSteps } from './steps.ts';

const MS_MAX = 120_000;
const UPGRADED = ['--development-rules-version', '2'];
const LATE = 'validator-3';
let network: TemporaryNetwork;
let running: Awaited<ReturnType<typeof watchedLoad>>;
/** By the name of the node. */
const installed = new Map<string, NodeProcess>();

beforeEach(async () => {
  network = await temporaryNetwork({ validators: 4 });
  await network.start();
  running = await watchedLoad(network, 20);
  await untilHeight(network, 5, MS_MAX);
}, MS_MAX);

afterEach(async () => {
  running?.watch.stop();
  await Promise.all([...installed.values()].map((process) => process.stop()));
  installed.clear();
  await network?.remove();
});

const node = (index: number): ClusterNode => network.node(`validator-${index}`);

/** Installs a program, which knows version 2 of the rules or only version 1, in place of the one that runs or ran last. */
async function install(which: ClusterNode, flags: readonly string[]): Promise<NodeProcess> {
  await (installed.get(which.name) ?? which.process).stop();
  const process = createNodeProcess({ ...which, flags });
  installed.set(which.name, process);
  process.start();
  return process;
}

async function untilSigning({ name, client }: ClusterNode): Promise<void> {
  await eventually(`${name} signs`, MS_MAX, async () =>
    (await client.status()).signing?.state === 'signing' ? true : undefined,
  );
}

async function upgrade(which: ClusterNode): Promise<void> {
  await install(which, UPGRADED);
  await untilSigning(which);
}

async function untilEnded(process: NodeProcess, what: string): Promise<void> {
  await eventually(what, MS_MAX, async () => (process.running ? undefined : true));
}

/** All nodes commit so many further blocks. */
async function untilFurther(blocks: number): Promise<void> {
  const { height } = await node(0).client.status();
  await untilHeight(network, height + blocks, MS_MAX);
}

async function backBeforeTheSeal(): Promise<void> {
  const operators = await Promise.all([0, 1, 2].map((index) => operatorOf(node(index))));
  await decide(node(0).client, operators, { kind: 'setVersion', version: 2 });
  await upgrade(node(0));
  await untilFurther(10);
  const back = await install(node(0), []);
  await untilSigning(node(0));
  await untilFurther(10);
  expect(await back.errors()).toEqual([]);
  const { current } = await node(0).client.epochs({ limit: 1 });
  expect(current).toMatchObject({ epoch: 0, sealed: null });
}

async function begin(): Promise<void> {
  for (const index of [0, 1, 2]) await upgrade(node(index));
  await untilEpoch({ nodes: [node(0), node(1), node(2)] }, 1);
  const late = network.node(LATE);
  await untilEnded(late.process, `${LATE} stops`);
  expect(await readFile(late.process.logFile, 'utf8')).toContain('Install a program that knows the version');
  await untilEnded(await install(late, []), 'the older program refuses the folder');
  await upgrade(late);
  await untilEpoch(network, 1);
  await untilFurther(20);
}

async function refuseOlder(): Promise<void> {
  const downgraded = node(1);
  await installed.get(downgraded.name)?.stop();
  const data = join(downgraded.home, HOME.data);
  const before = await fileDigests(data);
  const older = await install(downgraded, []);
  await untilEnded(older, 'the older program refuses the folder');
  expect((await older.errors()).join('\n')).toMatch(
    /formats of version 2 of the rules.*knows version 1: install a program that knows version 2/,
  );
  expect(changedFiles(before, await fileDigests(data))).toEqual([]);
  await upgrade(downgraded);
  await untilFurther(20);
  await running.load.finish();
  expect(running.load.sent.lost()).toEqual([]);
}

test('a version is installed node by node, and begins once more than two thirds know it', () =>
  playSteps({
    'before the seal an upgraded node goes back to the older program, with all its files': backBeforeTheSeal,
    'a version begins once more than two thirds know it; the last node stops, and goes on when it is upgraded': begin,
    'after it the older program refuses the folder, names the version, and changes no file (E12); the newer one goes on':
      refuseOlder,
  }));
