/** Killed nodes under load: the chain continues, nothing final is lost, no validator signs twice. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type WatchedLoad, watchedLoad } from '@slipstream/app-loadgen';
import {
  blockIds,
  disagreements,
  eventually,
  heightsOf,
  notFinal,
  signedAt,
  type TemporaryNetwork,
  temporaryNetwork,
  untilHeight,
} from '@slipstream/devnet';
import { afterAll, beforeAll, expect, test } from 'vitest';

const TPS = 100;
let network: TemporaryNetwork;
let running: WatchedLoad;
let finished = false;

beforeAll(async () => {
  network = await temporaryNetwork({ validators: 4 });
  await network.start();
  running = await watchedLoad(network, TPS);
});

afterAll(async () => {
  running?.watch.stop();
  await network?.remove();
});

async function untilFinal(more: number, timeoutMs = 40_000): Promise<void> {
  const wanted = running.load.sent.counts().final + more;
  await eventually(`${wanted} final transactions`, timeoutMs, async () =>
    running.load.sent.counts().final >= wanted ? true : undefined,
  );
}

async function errorsLogged(): Promise<readonly string[]> {
  return (await Promise.all(network.nodes.map(({ process }) => process.errors()))).flat();
}

test('four validators under load make transactions final, with no error in any log', async () => {
  await untilFinal(5 * TPS);
  const { failed, expired, lost } = running.load.sent.counts();
  expect({ failed, expired, lost }).toEqual({ failed: 0, expired: 0, lost: 0 });
  expect(await errorsLogged()).toEqual([]);
});

test('with one validator killed blocks stay final; restarted, it catches up and its votes count', async () => {
  const victim = network.node('validator-2');
  await network.kill([victim.name]);
  await untilFinal(3 * TPS);
  const missed = (await network.node('validator-0').client.status()).height;

  await network.start([victim.name]);
  await untilHeight(network, missed);
  const witness = network.node('validator-0').client;
  let height = (await witness.status()).height;
  const signed = await eventually('a certificate with the signature of the restarted validator', 40_000, async () => {
    const newest = (await witness.status()).height;
    for (; height <= newest; height++) if (await signedAt(witness, 2, height)) return height;
    return undefined;
  });
  expect(signed).toBeGreaterThan(missed);
});

test('restarted after a kill of all four, the chain continues and no final block is lost', async () => {
  if (finished) {
    // At a second try the first load has ended.
    running.watch.stop();
    running = await watchedLoad(network, TPS);
    await untilFinal(TPS);
  }
  await sleep(500); // the network recovers from the previous test
  const before = await heightsOf(network);
  await network.kill();
  const finalIds = [...running.load.sent.finalIds()];
  expect(finalIds.length).toBeGreaterThan(0);

  await network.start();
  await untilHeight(network, Math.max(...before) + 5);
  await untilFinal(2 * TPS);
  finished = true;
  await running.load.finish();

  expect(running.load.sent.lost()).toEqual([]);
  for (const { client } of network.nodes) expect(await notFinal(client, finalIds)).toEqual([]);
});

test('every node holds the same block at every height, and no evidence of a double signature', async () => {
  const chains = await Promise.all(network.nodes.map(({ client }) => blockIds(client)));
  const [first, ...others] = chains;
  if (first === undefined) throw new Error('no node');
  for (const other of others) expect(disagreements(first, other)).toEqual([]);
  const heights = chains.map((chain) => Math.max(...chain.keys()));
  expect(chains.map((chain) => chain.size)).toEqual(heights.map((height) => height + 1));
  const evidence = await Promise.all(network.nodes.map(({ client }) => client.call('evidence')));
  expect(evidence.flatMap(({ items }) => items)).toEqual([]);
  expect(await errorsLogged()).toEqual([]);
});
