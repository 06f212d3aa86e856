/**
 * The token is upgraded under load on four validators, as real processes: one gets the artifact, the others fetch it, operators accept it on
 * the running nodes, values of version 1 are converted as they are read, and nothing is lost. A node whose operator does not accept it stops.
 */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createManifestJson, type ManifestJson } from '@slipstream/app/program';
import { buildApplication } from '@slipstream/app-build';
import { watchedLoad } from '@slipstream/app-loadgen';
import { artifactHash } from '@slipstream/app-realm';
import { root } from '@slipstream/checkout';
import { buildTransaction, generateKeyPair, type KeyPair, signTransaction } from '@slipstream/client';
import {
  type ClusterNode,
  createNodeProcess,
  eventually,
  type NodeProcess,
  type TemporaryNetwork,
  temporaryNetwork,
  untilHeight,
} from '@slipstream/devnet';
import { foundingApplication } from '@slipstream/node-home/applications';
import { fromHex, to0x } from '@slipstream/primitives';
import { type Action, stateKeyOfEntry } from '@slipstream/types';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type tokenTwo from '../../packages/execution/test/applications/token-2.ts';
import { decide, operatorOf, untilEpoch, validatorIdFrom } from '../../scripts/devnet/governing.ts';
import { playSteps } from './steps.ts';

const MS_MAX = 120_000;
/** Heights after an epoch's first one, in which what its boundary cost shows. */
const AFTER = 16;
const LATE = 'validator-3';
const FIRST = new URL('../../docs/integrators/examples/applications/token.ts', import.meta.url);
const SECOND = new URL('../../packages/execution/test/applications/token-2.ts', import.meta.url);
/** Number of the table in the lock files. */
const BALANCES = 0;
const [holder, other] = [generateKeyPair(), generateKeyPair()];
const restarted = new Map<string, NodeProcess>();
let network: TemporaryNetwork;
let running: Awaited<ReturnType<typeof watchedLoad>>;
let first: ManifestJson;
let second: ManifestJson;
let upgraded: Uint8Array;
let hash: Uint8Array;
let transfer: number;

beforeEach(async () => {
  const one = await buildApplication(FIRST.pathname, { isLockFrozen: true });
  const two = await buildApplication(SECOND.pathname, { isLockFrozen: true });
  [first, second] = [createManifestJson(one.manifest), createManifestJson(two.manifest)];
  upgraded = two.artifact;
  hash = artifactHash(upgraded);
  transfer = one.manifest.actions.find(({ name }) => name === 'transfer')?.number ?? -1;
  const holders = [{ owner: holder.accountText, value: '1000' }];
  network = await temporaryNetwork({ validators: 4, applications: [foundingApplication(one.artifact, { holders })] });
  await network.start();
  running = await watchedLoad(network, 20);
  await untilHeight(network, 5, MS_MAX);
}, MS_MAX);

afterEach(async () => {
  running?.watch.stop();
  await Promise.all([...restarted.values()].map((process) => process.stop()));
  restarted.clear();
  await network?.remove();
});

async function restart(which: ClusterNode): Promise<void> {
  const process = createNodeProcess({ ...which, flags: [] });
  restarted.set(which.name, process);
  process.start();
  await eventually(`${which.name} signs`, MS_MAX, async () =>
    (await which.client.status()).signing?.state === 'signing' ? true : undefined,
  );
}

async function slipstream(...words: readonly string[]): Promise<string> {
  const args = ['--disable-warning=ExperimentalWarning', join(root, 'apps/node/bin/main.mjs'), ...words];
  return (await promisify(execFile)(process.execPath, args, { env: { ...process.env, NO_COLOR: '1' } })).stdout;
}

const stateAt = async ({ client }: ClusterNode): Promise<string | undefined> =>
  (await client.call('artifacts', {})).artifacts.find((each) => each.hash === to0x(hash))?.state;

const alertAt = (node: ClusterNode, rule: string) =>
  eventually(`${node.name} raises ${rule}`, MS_MAX, async () =>
    (await node.client.status()).alerts.find((alert) => alert.rule === rule),
  );

/** By its operator, on the running node. */
async function accept({ home }: ClusterNode): Promise<void> {
  expect(await slipstream('app', 'accept', to0x(hash), '--home', home)).toContain('the running node may run it');
}

/** Views that a quorum nullified, by the metrics of the node that saw most. */
async function nullifiedViews(): Promise<number> {
  const seen = network.nodes.map(async ({ url }) => {
    const text = await (await fetch(`${url}/metrics`)).text();
    return Number(/^slipstream_consensus_views_nullified_total (\d+)/m.exec(text)?.[1]);
  });
  return Math.max(...(await Promise.all(seen)));
}

/** How many views are nullified until every node is some heights into the epoch that `act` leads to. */
async function viewsLost(epoch: number, act: () => Promise<void>): Promise<number> {
  const before = await nullifiedViews();
  await act();
  await untilEpoch(network, epoch);
  // A node begins an epoch before it has committed its first block.
  const current = await eventually(`a block of epoch ${epoch}`, MS_MAX, async () => {
    const seen = (await network.node('validator-0').client.epochs()).current;
    return seen.epoch >= epoch ? seen : undefined;
  });
  await untilHeight(network, current.firstHeight + AFTER, MS_MAX);
  return (await nullifiedViews()) - before;
}

async function operators() {
  return Promise.all([0, 1, 2].map((index) => operatorOf(network.node(`validator-${index}`))));
}

async function send(from: KeyPair, to: KeyPair, value: string) {
  const { client } = network.node('validator-0');
  const input = first.inputFromJson(transfer, { to: to.accountText, value });
  const actions: readonly Action[] = [{ kind: 'call', application: 'token', action: transfer, input }];
  const genesisHash = await client.genesisHash();
  const terms = { genesisHash, sender: from.account, expiryMs: Date.now() + 50_000, maxFee: 0n, actions };
  return client.submitAndWait(signTransaction(buildTransaction(terms), from));
}

/** What a state proof of this node shows: version of the value, and the value. */
async function tokensAt(name: string, json: ManifestJson, of: KeyPair): Promise<unknown> {
  const key = stateKeyOfEntry(0, BALANCES, json.keyFromJson(BALANCES, of.accountText));
  const { entries } = await network.node(name).client.call('stateProofs', { body: { keys: [to0x(key)] } });
  const bytes = fromHex(entries[0]?.value ?? '0x');
  return [bytes[0], json.valueToJson(BALANCES, bytes).value];
}

async function runs(): Promise<void> {
  expect((await send(holder, other, '300')).receipt?.outcome.status).toBe('success');
  expect(await eventually('a proof', MS_MAX, () => tokensAt('validator-0', first, other))).toEqual([1, '300']);
}

async function proposes(): Promise<void> {
  const change = { kind: 'upgradeApplication', name: 'token', version: 2, hash } as const;
  await decide(network.node('validator-0').client, await operators(), change);
  for (const node of network.nodes) expect((await alertAt(node, 'artifact-missing')).message).toContain(to0x(hash));
}

/** Gives the file to one node, and waits until the others have it of their peers. */
async function spreads(): Promise<void> {
  const file = join(network.folder, 'token-2.artifact');
  await writeFile(file, upgraded);
  const [first, ...others] = network.nodes as [ClusterNode, ...ClusterNode[]];
  expect(await slipstream('app', 'accept', file, '--home', first.home)).toContain('the running node may run it');
  for (const node of others) {
    await eventually(`${node.name} has fetched it`, MS_MAX, async () =>
      (await stateAt(node)) === 'fetched' ? true : undefined,
    );
    expect((await alertAt(node, 'artifact-not-accepted')).message).toContain(to0x(hash));
  }
  expect(await slipstream('app', 'artifacts', '--home', others[0]?.home ?? '')).toContain(`fetched   ${to0x(hash)}`);
}

async function changesWithoutRestart(): Promise<void> {
  const [, ...others] = network.nodes;
  const ofUpgrade = await viewsLost(1, async () => void (await Promise.all(others.map(accept))));
  await serves();
  const validatorId = await validatorIdFrom(network.node('validator-0').client, 0);
  const change = { kind: 'setWeight', validatorId, weight: 2 } as const;
  const usual = await viewsLost(2, async () => decide(network.node('validator-0').client, await operators(), change));
  process.stdout.write(`views nullified around the boundary: ${ofUpgrade} of the upgrade, ${usual} of another\n`);
  expect(ofUpgrade).toBeLessThanOrEqual(usual);
  for (const { process: running } of network.nodes) expect(running.running).toBe(true);
}

async function stopsAndGoesOn(): Promise<void> {
  const late = network.node(LATE);
  for (const index of [1, 2]) await accept(network.node(`validator-${index}`));
  await eventually(`${LATE} stops`, MS_MAX, async () => (late.process.running ? undefined : true));
  expect(await readFile(late.process.logFile, 'utf8')).toContain(`artifact ${to0x(hash)}`);
  const says = await slipstream('app', 'accept', to0x(hash), '--home', late.home);
  expect(says).toContain('no node runs there: it reads its home at its start');
  await restart(late);
  await untilEpoch(network, 1);
}

/** By the node's word: the manifest that runs, an entry that version 1 wrote, and a query of version 2. */
async function serves(): Promise<void> {
  const { client } = network.node('validator-0');
  const { applications } = await client.call('applications', {});
  expect(applications).toMatchObject([{ hash: to0x(hash), manifest: { version: 2 } }]);
  const query = { key: other.accountText };
  const entry = await client.call('tableEntry', { params: { application: 'token', table: 'balances' }, query });
  expect(entry).toMatchObject({ value: { value: '300', changes: 0 }, version: 1 });
  const token = await client.app<typeof tokenTwo>('token');
  expect(token.manifest.version).toBe(2);
  expect(await token.query.changes({ owner: other.accountText as `0x${string}` })).toBe(0);
}

async function converts(): Promise<void> {
  const sent = await send(other, holder, '100');
  expect(sent.receipt?.outcome.status).toBe('success');
  await untilHeight(network, sent.receipt?.height ?? 0, MS_MAX);
  for (const { name } of network.nodes) {
    const seen = await eventually(`a proof of ${name}`, MS_MAX, () => tokensAt(name, second, other));
    expect(seen).toEqual([2, { value: '200', changes: 1 }]);
  }
  await running.load.finish();
  expect(running.load.sent.lost()).toEqual([]);
}

test('an application is upgraded by governance while load runs, without a restart', () =>
  playSteps({
    'version 1 runs': runs,
    'governors decide, and nodes say what they lack': proposes,
    'one node gets the artifact, and the others fetch it': spreads,
    'operators accept it on the running nodes, and the boundary costs no more views than another':
      changesWithoutRestart,
    'all nodes convert values as they are read, and no transaction of the load is lost (A15, A17)': converts,
  }));

test('a node whose operator has not accepted the artifact stops at the boundary', () =>
  playSteps({
    'version 1 runs': runs,
    'governors decide, and nodes say what they lack': proposes,
    'one node gets the artifact, and the others fetch it': spreads,
    'the node that has not accepted it stops and names the hash; accepted, it goes on in its folder': stopsAndGoesOn,
    'REST and SDK show version 2, and what version 1 wrote as version 2 reads it': serves,
    'all nodes convert values as they are read, and no transaction of the load is lost (A15, A17)': converts,
  }));
