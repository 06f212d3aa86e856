import { eventually, type TemporaryNetwork, temporaryNetwork, untilHeight } from '@slipstream/devnet';
import { afterAll, beforeAll, expect, test } from 'vitest';

const WRONG = 'validator-2';
const FROM_HEIGHT = 12;
let network: TemporaryNetwork;

beforeAll(async () => {
  network = await temporaryNetwork({
    validators: 4,
    flagsOf: ({ name }) => (name === WRONG ? ['--development-diverge-at', String(FROM_HEIGHT)] : []),
  });
});

afterAll(() => network?.remove());

test('a diverging node reports block, both digests and the first differing key, and stops', async () => {
  const died = new Promise<number | null>((resolve) => {
    network.onDeath(({ name }, { code }) => {
      if (name === WRONG) resolve(code);
    });
  });
  await network.start();
  expect(await died).toBe(1);
  const lines = await eventually('its log says why', 10_000, async () => {
    const errors = await network.node(WRONG).process.errors();
    return errors.some((line) => line.includes('the node cannot go on')) ? errors : undefined;
  });
  const report = lines.join('\n');
  expect(report).toMatch(
    new RegExp(`block 0x[0-9a-f]{64} at height ${FROM_HEIGHT}: this node computed the state digest 0x`),
  );
  expect(report).toMatch(/a quorum certified 0x[0-9a-f]{64} for it/);
  const key = Buffer.from('development/diverged').toString('hex');
  expect(report).toMatch(
    new RegExp(`at height ${FROM_HEIGHT}, block 0x[0-9a-f]{64}, is 0x${key}: 0x01 here, not written certified`),
  );
});

test('the other nodes finalize further blocks', async () => {
  const nodes = network.nodes.filter(({ name }) => name !== WRONG);
  const heights = await Promise.all(nodes.map(async ({ client }) => (await client.status()).height));
  await untilHeight({ ...network, nodes }, Math.max(...heights) + 5);
});
