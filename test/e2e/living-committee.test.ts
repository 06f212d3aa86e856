/**
 * The committee changes while the chain runs under load: parameters, a fifth validator, new keys of one, another that goes. Nodes report their
 * readiness by themselves. Every transaction of the load becomes final, once.
 */
import { watchedLoad } from '@slipstream/app-loadgen';
import { eventually, type TemporaryNetwork, temporaryNetwork, untilHeight } from '@slipstream/devnet';
import type { EventData } from '@slipstream/schema';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  act,
  consentOf,
  decide,
  giveBlsKey,
  giveNextKeys,
  type NewKeys,
  operatorOf,
  untilEpoch,
  validatorIdFrom,
} from '../../scripts/devnet/governing.ts';

const JOINER = 'full-node-0';
const MS_MAX = 120_000;
let network: TemporaryNetwork;
let joinerKeys: NewKeys;
let running: Awaited<ReturnType<typeof watchedLoad>>;
/** What a reader of validator-3 received, without connecting again. */
const begun: EventData<'epoch.begun'>[] = [];
const states: number[] = [];
let stream: { close(): void } | undefined;

beforeAll(async () => {
  network = await temporaryNetwork({
    validators: 4,
    fullNodes: 1,
    flagsOf: ({ name }) => (name === JOINER ? ['--keys-bls', 'keys/bls.keystore.json'] : []),
  });
  joinerKeys = await giveBlsKey(network.node(JOINER));
  await network.start();
  running = await watchedLoad(network, 20);
  stream = network.node('validator-3').client.events({
    topics: ['consensus'],
    onState: ({ state }) => states.push(state.committee.epoch),
    onEvent({ event }) {
      if (event.type === 'epoch.begun') begun.push(event.data as EventData<'epoch.begun'>);
    },
  });
  await untilHeight(network, 5, MS_MAX);
}, MS_MAX);

afterAll(async () => {
  stream?.close();
  running?.watch.stop();
  await network?.remove();
});

async function operators(...indices: readonly number[]) {
  return Promise.all(indices.map((index) => operatorOf(network.node(`validator-${index}`))));
}

/** Resolves when the named node signs as a validator, or when it follows. */
async function untilRole(name: string, role: 'validator' | 'full-node'): Promise<void> {
  const { client } = network.node(name);
  await eventually(`${name} is a ${role}`, MS_MAX, async () => {
    const { node, signing, height, finalHeight } = await client.status();
    const isSigning = signing?.state === 'signing';
    if (node.role === role && isSigning === (role === 'validator')) return true;
    throw new Error(JSON.stringify({ node, signing, height, finalHeight }));
  });
}

test('weights change at the end of an epoch', async () => {
  const { client } = network.node('validator-1');
  const validatorId = await validatorIdFrom(client, 3);
  await decide(client, await operators(0, 1, 2), { kind: 'setWeight', validatorId, weight: 2 });
  await untilEpoch(network, 1);
  const { height } = await client.status();
  await untilHeight(network, height + 20, MS_MAX);
});

test('a full node becomes a validator by itself, at the boundary', async () => {
  const { client } = network.node('validator-1');
  const joiner = network.node(JOINER);
  const keys = joinerKeys;
  const owner = await operatorOf(joiner);
  await decide(client, await operators(0, 1, 3), {
    kind: 'addValidator',
    name: 'fifth',
    weight: 1,
    blsPublicKey: keys.blsPublicKey,
    peerKey: keys.peerKey,
    address: `127.0.0.1:${joiner.networkPort}`,
    operator: owner.account,
    feeAccount: owner.account,
    consent: await consentOf(client, keys, owner),
  });
  await untilEpoch(network, 2);
  await untilRole(JOINER, 'validator');
});

test('a validator takes new BLS and network keys without a restart', async () => {
  const { client } = network.node('validator-0');
  const rotated = network.node('validator-1');
  const [operator] = await operators(1);
  if (operator === undefined) throw new Error('it has an operator');
  const before = (await rotated.client.status()).node.peer;
  const keys = await giveNextKeys(rotated);
  await act(client, operator, {
    kind: 'rotateKeys',
    validatorId: await validatorIdFrom(client, 1),
    blsPublicKey: keys.blsPublicKey,
    peerKey: keys.peerKey,
    address: `127.0.0.1:${rotated.networkPort}`,
    feeAccount: operator.account,
    consent: await consentOf(client, keys, operator),
  });
  await untilEpoch(network, 3);
  await eventually('validator-1 has its new network key', MS_MAX, async () => {
    const { node } = await rotated.client.status();
    if (node.peer === `0x${keys.peerKey}` && node.peer !== before) return true;
    throw new Error(node.peer);
  });
  await untilRole('validator-1', 'validator');
});

test('a validator that is removed follows by itself', async () => {
  const { client } = network.node('validator-2');
  const validatorId = await validatorIdFrom(client, 0);
  const deciding = [...(await operators(1, 2, 3)), await operatorOf(network.node(JOINER))];
  await decide(client, deciding, { kind: 'removeValidator', validatorId });
  await untilEpoch(network, 4);
  await untilRole('validator-0', 'full-node');
  const { height } = await client.status();
  await untilHeight(network, height + 20, MS_MAX);
});

test('a connected reader received each epoch and its committee', async () => {
  const { client } = network.node('validator-3');
  await eventually('the last epoch is received', MS_MAX, async () => begun.at(-1)?.epoch === 4);
  expect(states).toEqual([0]);
  expect(begun.map(({ epoch, members }) => [epoch, members.length])).toEqual([
    [1, 4],
    [2, 5],
    [3, 5],
    [4, 4],
  ]);
  const { members, ...weights } = await client.committee();
  expect(begun.at(-1)).toMatchObject({ ...weights, members, validator: 2 });
  expect(begun[2]?.members.filter(({ previousPeer }) => previousPeer !== undefined).map(({ index }) => index)).toEqual([
    1,
  ]);
});

test('killed nodes come back in the epoch, and nothing of the load was lost', async () => {
  await network.kill(['validator-2', 'full-node-0']);
  await network.start(['validator-2', 'full-node-0']);
  await untilRole('validator-2', 'validator');
  await untilRole(JOINER, 'validator');
  const { height } = await network.node('validator-3').client.status();
  await untilHeight(network, height + 10, MS_MAX);
  await running.load.finish();
  expect(running.load.sent.lost()).toEqual([]);
});
