/** A restarted validator without connections is not ready, and knows the time of its newest block. */
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, type TemporaryNetwork, temporaryNetwork } from '@slipstream/devnet';
import { afterAll, beforeAll, expect, test } from 'vitest';

let network: TemporaryNetwork;

beforeAll(async () => {
  network = await temporaryNetwork({ validators: 2 });
  await network.start();
});

afterAll(async () => {
  await network?.remove();
});

test('a restarted validator is not ready before it receives frames of others, and its clock is the chain', async () => {
  const { client, process } = network.node('validator-0');
  const before = await eventually('three blocks', 20_000, async () => {
    const status = await client.status();
    return status.height >= 3 ? status : undefined;
  });
  await network.stop();
  process.start();
  const alone = await eventually('an answer', 60_000, () => client.status());
  expect(alone).toMatchObject({ ready: false, peers: { connected: 0 } });
  expect(alone.headTimestampMs).toBeGreaterThanOrEqual(before.headTimestampMs);
  await sleep(500);
  expect((await client.status()).ready).toBe(false);
  network.node('validator-1').process.start();
  await eventually('both ready', 60_000, async () => ((await client.status()).ready ? true : undefined));
});
