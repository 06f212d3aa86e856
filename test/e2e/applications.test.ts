/** An application on four validators and a full node, as real processes: calls over REST, one of the nodes killed in between. */
import { createManifestJson, type ManifestJson } from '@slipstream/app/program';
import { buildApplication } from '@slipstream/app-build';
import { artifactHash } from '@slipstream/app-realm';
import {
  buildTransaction,
  createClient,
  generateKeyPair,
  type KeyPair,
  signTransaction,
  verifyProof,
} from '@slipstream/client';
import { eventually, type TemporaryNetwork, temporaryNetwork, untilHeight } from '@slipstream/devnet';
import { foundingApplication } from '@slipstream/node-home/applications';
import { fromHex, to0x } from '@slipstream/primitives';
import { type Action, eventsInOutput, failureInOutput, stateKeyOfEntry } from '@slipstream/types';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type token from '../../docs/integrators/examples/applications/token.ts';

const source = new URL('../../docs/integrators/examples/applications/token.ts', import.meta.url);
/** Number of the table in the lock file. */
const BALANCES = 0;
const [holder, other] = [generateKeyPair(), generateKeyPair()];
let network: TemporaryNetwork;
let json: ManifestJson;
let transfer: number;

beforeAll(async () => {
  const { artifact, manifest } = await buildApplication(source.pathname, { isLockFrozen: true });
  json = createManifestJson(manifest);
  transfer = manifest.actions.find(({ name }) => name === 'transfer')?.number ?? -1;
  const applications = [foundingApplication(artifact, { holders: [{ owner: holder.accountText, value: '1000' }] })];
  network = await temporaryNetwork({ validators: 4, fullNodes: 1, applications });
  await network.start();
  const answer = await network.node('full-node-0').client.call('applications');
  expect(answer.applications).toMatchObject([
    { name: 'token', number: 0, hash: to0x(artifactHash(artifact)), manifest },
  ]);
});

afterAll(() => network?.remove());

function callOf(to: KeyPair, value: string): Action {
  const input = json.inputFromJson(transfer, { to: to.accountText, value });
  return { kind: 'call', application: 'token', action: transfer, input };
}

async function send(name: string, from: KeyPair, to: KeyPair, value: string) {
  const { client } = network.node(name);
  const genesisHash = await client.genesisHash();
  const terms = { genesisHash, sender: from.account, expiryMs: Date.now() + 50_000, maxFee: 0n };
  return client.submitAndWait(signTransaction(buildTransaction({ ...terms, actions: [callOf(to, value)] }), from));
}

/** What a state proof of this node shows. */
async function tokensAt(name: string, of: KeyPair): Promise<unknown> {
  const key = stateKeyOfEntry(0, BALANCES, json.keyFromJson(BALANCES, of.accountText));
  const { entries } = await network.node(name).client.call('stateProofs', { body: { keys: [to0x(key)] } });
  const value = entries[0]?.value ?? null;
  return value === null ? '0' : json.valueToJson(BALANCES, fromHex(value)).value;
}

test('token calls succeed and fail alike on all nodes, also on one that was killed, and on a full node', async () => {
  const sent = await send('validator-0', holder, other, '300');
  expect(sent.status).toBe('final');
  const [event] = eventsInOutput(fromHex(sent.receipt?.output ?? '0x')) ?? [];
  expect(json.eventToJson(event?.event ?? -1, event?.body ?? new Uint8Array(0))).toEqual({
    from: holder.accountText,
    to: other.accountText,
    value: '300',
  });
  await network.kill(['validator-3']);
  expect((await send('full-node-0', other, holder, '100')).status).toBe('final');
  const failed = await send('validator-1', other, holder, '201');
  expect(failed.receipt?.outcome).toMatchObject({ status: 'failed', code: 'application-failed' });
  expect(failureInOutput(fromHex(failed.receipt?.output ?? '0x'))).toBe('insufficient-balance');
  await network.start(['validator-3']);
  await untilHeight(network, failed.receipt?.height ?? 0, 60_000);
  for (const { name } of network.nodes)
    expect(await eventually(`a proof of ${name}`, 30_000, () => tokensAt(name, other))).toBe('200');
});

test('the SDK sends a call, and reads what it did: entry with its proof, query, and event', async () => {
  const { url } = network.node('full-node-0').client;
  const genesis = await network.node('validator-0').client.genesis();
  const { genesisHash } = await network.node('validator-0').client.status();
  const client = createClient({ url, genesisHash, chain: genesis });
  const app = await client.app<typeof token>('token');
  const [sender, receiver] = [holder, other].map(({ accountText }) => accountText as `0x${string}`) as [
    `0x${string}`,
    `0x${string}`,
  ];
  const before = BigInt(await app.query.balance({ owner: receiver }));
  const view = await app.send(app.actions.transfer({ to: receiver, value: 25n }), holder);
  expect(view).toMatchObject({
    status: 'final',
    transaction: { actions: [{ name: 'transfer', fields: { to: receiver, value: '25' } }] },
    events: [{ application: 'token', name: 'Transferred', fields: { from: sender, to: receiver, value: '25' } }],
  });
  const verified = verifyProof(view, genesis);
  expect(verified.ok).toBe(true);
  const [event] = view.events ?? [];
  expect(verifyProof({ ...view, events: [{ ...event, body: '0x00' }] }, genesis).ok).toBe(false);
  expect(app.eventsIn(view.receipt ?? { output: '0x' })).toEqual([
    { name: 'Transferred', fields: { from: sender, to: receiver, value: '25' } },
  ]);
  const now = (before + 25n).toString();
  const proven = await eventually('a proof of the transfer', 30_000, async () => {
    const entry = await app.table('balances').get(receiver, { proven: true });
    return entry.height >= (view.height ?? 0) ? entry : undefined;
  });
  expect(proven).toMatchObject({ value: now, exists: true });
  expect(await app.table('balances').get(receiver)).toMatchObject({ value: now });
  expect(await app.query.balance({ owner: receiver })).toBe(now);
  const unknown = generateKeyPair().accountText as `0x${string}`;
  expect(await app.table('balances').get(unknown, { proven: true })).toMatchObject({ value: '0', exists: false });
  await expect(
    client.call('applicationQuery', { params: { application: 'token', query: 'none' }, body: {} }),
  ).rejects.toMatchObject({ code: 'query-unknown' });
});

test('events come from each node in one order, each with its proof, and go on where the reader left', async () => {
  const genesis = await network.node('validator-0').client.genesis();
  const appOf = (name: string, own: typeof fetch = fetch) =>
    createClient({ url: network.node(name).client.url, chain: genesis, fetch: own }).app<typeof token>('token');
  const app = await appOf('validator-3');
  const seen = await Array.fromAsync(app.events({ proven: true, limit: 2 }));
  expect(seen.map(({ fields }) => fields.value)).toEqual(['300', '100', '25']);
  const after = seen.at(-1)?.cursor as string;
  const receiver = other.accountText as `0x${string}`;
  const following = (async () => {
    for await (const event of (await appOf('full-node-0')).events({ after, follow: true, proven: true })) return event;
    return undefined;
  })();
  const view = await app.send(app.actions.transfer({ to: receiver, value: 7n }), holder);
  expect(await following).toMatchObject({ transactionId: view.id, height: view.height, fields: { value: '7' } });
  const lying = async (...of: Parameters<typeof fetch>) => {
    const answer = await fetch(...of);
    if (!String(of[0]).includes('/events')) return answer;
    return new Response((await answer.text()).replaceAll('0700000000000000', '0800000000000000'), answer);
  };
  const false8 = await appOf('validator-1', lying as typeof fetch);
  await expect(Array.fromAsync(false8.events({ after, proven: true }))).rejects.toMatchObject({ code: 'unproven' });
});
