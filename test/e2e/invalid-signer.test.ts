/** Bisection finds a validator with invalid signatures, every other one blocks it, and the chain continues. */

import { eventually, type TemporaryNetwork, temporaryNetwork, untilHeight } from '@slipstream/devnet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FAST_BLOCKS } from './fast-blocks.ts';

const CORRUPT = 3;
let network: TemporaryNetwork;

beforeAll(async () => {
  network = await temporaryNetwork({ validators: 4, corrupt: CORRUPT, flags: FAST_BLOCKS });
  await network.start();
});

afterAll(() => network?.remove());

test('every honest validator blocks the invalid signer, and reports the reason', async () => {
  const honest = network.nodes.filter(({ validator }) => validator !== CORRUPT);
  for (const { name, client } of honest) {
    const blocked = await eventually(`${name} blocks validator ${CORRUPT}`, 30_000, async () => {
      const { items } = await client.peers();
      return items.find(({ validator, blocked: block }) => validator === CORRUPT && block !== null);
    });
    expect(blocked.blocked?.reason).toBe('invalid-signature');
    expect(blocked.blocked?.by).toBe('node');
  }
});

test('the honest validators block no other peer and finalize further blocks', async () => {
  const honest = network.nodes.filter(({ validator }) => validator !== CORRUPT);
  const blocked = await Promise.all(honest.map(async ({ client }) => (await client.status()).peers.blocked));
  expect(blocked).toEqual([1, 1, 1]);
  const [{ client } = network.node('validator-0')] = honest;
  const { height } = await client.status();
  await untilHeight({ ...network, nodes: honest }, height + 5);
});
