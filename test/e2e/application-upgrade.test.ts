/**
 * The token is upgraded under load on four validators, as real processes: nodes get the artifact one by one, the last one only after it
 * stopped at the boundary, values of version 1 are converted as they are read, and nothing is lost.
 */
import { readFile } from 'node:fs/promises';
import { createManifestJson, type ManifestJson } from '@slipstream/app/program';
import { buildApplication } from '@slipstream/app-build';
import { watchedLoad } from '@slipstream/app-loadgen';
import { artifactHash } from '@slipstream/app-realm';
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
import { acceptArtifact, foundingApplication } from '@slipstream/node-home/applications';
import { fromHex, to0x } from '@slipstream/primitives';
import { type Action, stateKeyOfEntry } from '@slipstream/types';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type tokenTwo from '../../packages/execution/test/applications/token-2.ts';
import { decide, operatorOf, untilEpoch } from '../../scripts/devnet/governing.ts';
import { playSteps } from './steps.ts';

const MS_MAX = 120_000;
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
let transfer: number;

beforeEach(async () => {
  const one = await buildApplication(FIRST.pathname, { isLockFrozen: true });
  const two = await buildApplication(SECOND.pathname, { isLockFrozen: true });
  [first, second] = [createManifestJson(one.manifest), createManifestJson(two.manifest)];
  upgraded = two.artifact;
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
  await (restarted.get(which.name) ?? which.process).stop();
  const process = createNodeProcess({ ...which, flags: [] });
  restarted.set(which.name, process);
  process.start();
  await eventually(`${which.name} signs`, MS_MAX, async () =>
    (await which.client.status()).signing?.state === 'signing' ? true : undefined,
  );
}

async function accept(which: ClusterNode): Promise<void> {
  await acceptArtifact(which.home, upgraded);
  await restart(which);
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
  const operators = await Promise.all([0, 1, 2].map((index) => operatorOf(network.node(`validator-${index}`))));
  const change = { kind: 'upgradeApplication', name: 'token', version: 2, hash: artifactHash(upgraded) } as const;
  await decide(network.node('validator-0').client, operators, change);
  const alert = await eventually(`${LATE} says what it lacks`, MS_MAX, async () =>
    (await network.node(LATE).client.status()).alerts.find(({ rule }) => rule === 'artifact-missing'),
  );
  expect(alert.message).toContain(to0x(artifactHash(upgraded)));
  for (const index of [0, 1, 2]) await accept(network.node(`validator-${index}`));
  await untilEpoch({ nodes: [0, 1, 2].map((index) => network.node(`validator-${index}`)) }, 1);
}

async function stopsAndGoesOn(): Promise<void> {
  const late = network.node(LATE);
  await eventually(`${LATE} stops`, MS_MAX, async () => (late.process.running ? undefined : true));
  expect(await readFile(late.process.logFile, 'utf8')).toContain(`artifact ${to0x(artifactHash(upgraded))}`);
  await accept(late);
  await untilEpoch(network, 1);
}

/** By the node's word: the manifest that runs, an entry that version 1 wrote, and a query of version 2. */
async function serves(): Promise<void> {
  const { client } = network.node('validator-0');
  const { applications } = await client.call('applications', {});
  expect(applications).toMatchObject([{ hash: to0x(artifactHash(upgraded)), manifest: { version: 2 } }]);
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

test('an application is upgraded by governance while load runs', () =>
  playSteps({
    'version 1 runs': runs,
    'governors decide, three nodes get the artifact, and the next epoch begins': proposes,
    'the node that lacks it stops and names the hash; with it, it goes on in its folder': stopsAndGoesOn,
    'REST and SDK show version 2, and what version 1 wrote as version 2 reads it': serves,
    'all nodes convert values as they are read, and no transaction of the load is lost (A15, A17)': converts,
  }));
