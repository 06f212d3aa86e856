/**
 * A full node and a validator stand still for longer than their peers keep blocks: they take over a newer state without a restart. An archive
 * cannot, and says so.
 */
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { watchedLoad } from '@slipstream/app-loadgen';
import { ClientError } from '@slipstream/client';
import { type ClusterNode, eventually, type TemporaryNetwork, temporaryNetwork, untilHeight } from '@slipstream/devnet';
import { afterAll, beforeAll, expect, test } from 'vitest';

const PAUSED = ['validator-3', 'full-node-0'];
const ARCHIVE = 'full-node-1';
/** A minute of blocks, and the heights in which the files of a snapshot end: fewer, and no node could join. */
const FLAGS = ['--retention-blocks', '400', '--sync-snapshot-every', '20', '--consensus-min-block-interval-ms', '200'];
/** A minute of blocks, and time for a busy machine. */
const PRUNED_MS_MAX = 240_000;
const MS_MAX = 120_000;
/** A paused node may have received blocks above those that others had committed. */
const MARGIN = 20;
let network: TemporaryNetwork;

beforeAll(async () => {
  network = await temporaryNetwork({
    validators: 4,
    fullNodes: 2,
    flags: FLAGS,
    flagsOf: ({ name }) => (name === ARCHIVE ? ['--retention-archive', 'true'] : []),
  });
  await network.start();
});

afterAll(() => network?.remove());

/** Asks for the status all the time; returns a function that ends this, and gives what failed. */
function polled({ client }: ClusterNode): () => Promise<readonly string[]> {
  const failures: string[] = [];
  let isOver = false;
  const polling = (async () => {
    for (; !isOver; await sleep(50)) await client.status().catch((error: unknown) => failures.push(String(error)));
  })();
  return async () => {
    isOver = true;
    await polling;
    return failures;
  };
}

const isPruned = (error: unknown) => error instanceof ClientError && error.problem?.code === 'pruned';

test('nodes whose next block is pruned everywhere take over a state while they run, and their API answers meanwhile', async () => {
  const paused = PAUSED.map(network.node);
  const standing = [...paused, network.node(ARCHIVE)];
  const running = { ...network, nodes: network.nodes.filter((node) => !standing.includes(node)) };
  const { load, watch } = await watchedLoad(running, 20);
  await untilHeight(network, 5, MS_MAX);
  const pids = paused.map(({ process }) => process.pid);
  for (const { process } of standing) process.pause();
  const began = (await network.node('validator-0').client.status()).height;
  for (const { client } of running.nodes) {
    await eventually('the next block of those that stand is pruned', PRUNED_MS_MAX, () =>
      client.block(began + MARGIN).then(
        () => undefined,
        (error: unknown) => (isPruned(error) ? true : undefined),
      ),
    );
  }
  for (const { process } of standing) process.resume();
  const polls = paused.map(polled);

  const reached = (await network.node('validator-0').client.status()).height;
  await untilHeight({ ...network, nodes: paused }, reached + 20, MS_MAX);
  expect(await Promise.all(polls.map((end) => end()))).toEqual([[], []]);
  await load.finish();
  watch.stop();
  for (const { process } of paused) {
    expect(await readFile(process.logFile, 'utf8')).toContain('state sync: this node goes on');
    expect(await process.errors()).toEqual([]);
  }
  expect(paused.map(({ process }) => process.pid)).toEqual(pids);
});

test('the validator among them signs again, and all have the same blocks', async () => {
  const { client, validator } = network.node('validator-3');
  const from = (await client.status()).height;
  await eventually('a state certificate has its signature', MS_MAX, async () => {
    const { height } = await client.status();
    const { state } = await client.certificates(height);
    return height > from && state?.signers.includes(validator ?? -1) ? true : undefined;
  });
  const nodes = network.nodes.filter(({ name }) => name !== ARCHIVE);
  const blocks = await Promise.all(nodes.map((node) => node.client.block(from)));
  for (const { block } of blocks) expect(block).toEqual(blocks[0]?.block);
});

test('an archive cannot take over a state: it goes on running, and raises an alert', async () => {
  const { client, process } = network.node(ARCHIVE);
  const alert = await eventually('the alert', MS_MAX, async () =>
    (await client.status()).alerts.find(({ rule }) => rule === 'stranded'),
  );
  expect(alert.message).toMatch(/^no connected peer has block [0-9]+, which this node needs next$/);
  expect(process.running).toBe(true);
});
