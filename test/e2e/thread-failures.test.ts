/** A validator with a dead thread stops in order, names the thread and a remedy, and signs nothing more; it can be started again. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '@slipstream/checkout';
import { type TemporaryNetwork, temporaryNetwork, untilHeight } from '@slipstream/devnet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FAST_BLOCKS } from './fast-blocks.ts';

const VICTIM = 'validator-0';
let network: TemporaryNetwork;
let died: PromiseWithResolvers<number | null>;

beforeAll(async () => {
  network = await temporaryNetwork({
    validators: 1,
    flags: FAST_BLOCKS,
    runtimeFlagsOf: () => ['--import', join(root, 'test/e2e/fail-thread.mjs')],
  });
  network.onDeath((_, { code }) => died.resolve(code));
  await network.start();
});

afterAll(() => network?.remove());

test.each([
  ['executor throws', 'the executor thread failed: made to fail by a test'],
  ['verifier-0 ends', 'verifier thread 0 ended with code 3'],
  ['api throws', 'the api thread failed: made to fail by a test'],
])('%s: the process exits with 1 and names thread and remedy; restarted, blocks become final', async (asked, words) => {
  const { home, process, client } = network.node(VICTIM);
  await untilHeight(network, 3);
  const { height } = await client.status();
  died = Promise.withResolvers();
  await writeFile(join(home, 'fail-thread'), asked);
  expect(await died.promise).toBe(1);
  const said = (await process.errors()).filter((line) => line.includes(words)).join('\n');
  expect(said).toContain('the node cannot go on');
  expect(said).toContain('The node signs nothing more and stops. Start it again');
  expect(said).not.toContain('not stopped in order');
  await rm(join(home, 'fail-thread'));
  process.start();
  await untilHeight(network, height + 3);
  expect((await client.call('evidence')).items).toEqual([]);
});
