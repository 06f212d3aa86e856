import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '@slipstream/checkout';
import { eventually, type TemporaryNetwork, temporaryNetwork, untilHeight } from '@slipstream/devnet';
import { DATA, HOME } from '@slipstream/node-home';
import { afterAll, beforeAll, expect, test } from 'vitest';

const WRONG = 'validator-2';
const FROM_HEIGHT = 12;
/** An idle chain makes a block a second by default. Faster ones replace a snapshot before a busy machine has fetched it. */
const FAST_BLOCKS = ['--consensus-min-block-interval-ms', '50', '--consensus-idle-block-interval-ms', '250'];
let network: TemporaryNetwork;
let soundConfig: string;

beforeAll(async () => {
  network = await temporaryNetwork({
    validators: 4,
    flags: ['--sync-distance', '15', '--sync-snapshot-every', '20', ...FAST_BLOCKS],
  });
  const { home } = network.node(WRONG);
  soundConfig = await readFile(join(home, HOME.config), 'utf8');
  const diverging = soundConfig.replace('development:\n', `development:\n  divergeAt: ${FROM_HEIGHT}\n`);
  await writeFile(join(home, HOME.config), diverging);
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

test('state rebuild keeps the evidence; the next start takes the state from the others, and the validator signs again', async () => {
  const { home, process, client, validator } = network.node(WRONG);
  const others = network.nodes.filter(({ name }) => name !== WRONG);
  await untilHeight({ ...network, nodes: others }, 50, 60_000);
  const main = join(root, 'apps/node/bin/main.mjs');
  const { stdout } = await promisify(execFile)(globalThis.process.execPath, [
    main,
    'state',
    'rebuild',
    '--home',
    home,
    '--json',
  ]);
  const { setAside } = JSON.parse(stdout) as { readonly setAside: string };
  const kept = JSON.parse(await readFile(join(setAside, DATA.divergence), 'utf8'));
  expect(kept.report).toContain(`at height ${FROM_HEIGHT}`);

  await writeFile(join(home, HOME.config), soundConfig);
  await network.start([WRONG]);
  expect(await readFile(process.logFile, 'utf8')).toMatch(/state sync: at height [0-9]+/);
  const from = (await client.status()).height;
  await eventually('a state certificate has its signature', 30_000, async () => {
    const height = (await client.status()).height;
    const { state } = await client.certificates(height);
    return height > from && state?.signers.includes(validator ?? -1) ? true : undefined;
  });
});
