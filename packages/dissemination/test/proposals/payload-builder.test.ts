import { BLOCK_CHUNKS_MAX } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { chunk, frameOf } from '../harness/chunks.ts';
import {
  accountOf,
  block,
  createTestNetwork,
  idOf,
  LIMITS,
  peerKey,
  type TestNetwork,
  transaction,
} from '../harness/network.ts';
import { START_MS } from '../harness/start-time.ts';
import { build, certify, check, idsOf, loseView, NOW_MS, submit } from '../harness/steps.ts';

/** A chunk of member 0 that all nodes store, uncertified because its acks are lost. */
async function uncertified(network: TestNetwork): Promise<void> {
  for (const index of [1, 2, 3]) network.lose(peerKey(index), peerKey(0));
  await submit(network, network.node(0), transaction());
  await network.pass(100);
  for (const index of [0, 1, 2, 3]) expect(network.node(index).attested).toEqual([]);
}

describe('a payload', () => {
  it('is empty without chunks, and cannot be built on full nodes', async () => {
    const network = createTestNetwork();
    expect(await build(network, network.node(0))).toEqual([]);
    await expect(build(network, network.fullNode)).rejects.toMatchObject({ code: 'not-a-validator' });
  });

  it('references certified chunks of all producers, oldest first', async () => {
    const network = createTestNetwork();
    const transactions = [2, 0, 3].map((index) => transaction({ from: accountOf(index) }));
    for (const bytes of transactions) {
      await submit(network, network.node(1), bytes);
      await certify(network);
    }
    const payload = await build(network, network.node(1), network.genesisId, NOW_MS + 500);
    expect(await idsOf(network.node(1), payload)).toEqual(transactions.map(idOf));
    expect(payload.every(({ certificate }) => certificate !== undefined)).toBe(true);
  });

  it('leaves out chunks that an ancestor references (D2), and includes them on another branch', async () => {
    const network = createTestNetwork();
    const node = network.node(1);
    await submit(network, network.node(0), transaction());
    await certify(network);
    const first = block({ parentId: network.genesisId, payload: await build(network, node) });
    node.dissemination.trackBlock(first.id, first.block);
    expect(await build(network, node, first.id, NOW_MS + 1)).toEqual([]);
    expect(await build(network, node, network.genesisId, NOW_MS + 1)).toHaveLength(1);
  });

  it('is empty on a parent with unknown ancestors: D2 cannot be checked', async () => {
    const network = createTestNetwork();
    await submit(network, network.node(0), transaction());
    await certify(network);
    const unknown = block({ parentId: network.genesisId, payload: [] });
    expect(await build(network, network.node(1), unknown.id, NOW_MS + 1)).toEqual([]);
  });

  it('leaves out chunks that have expired by the block’s time', async () => {
    const network = createTestNetwork();
    await submit(network, network.node(0), transaction());
    await certify(network);
    expect(await build(network, network.node(1), network.genesisId, START_MS + 31_000)).toEqual([]);
  });

  it('references an uncertified chunk while no view has failed, and every validator accepts it', async () => {
    const network = createTestNetwork();
    await uncertified(network);
    const payload = await build(network, network.node(1));
    expect(payload.map(({ certificate }) => certificate)).toEqual([undefined]);
    const made = block({ parentId: network.genesisId, payload });
    for (const index of [0, 2, 3]) expect(await check(network, network.node(index), made, 10)).toBe('valid');
  });

  it('references certified chunks alone for a while after a failed view', async () => {
    const network = createTestNetwork();
    const node = network.node(1);
    loseView(network, node);
    await uncertified(network);
    expect(await build(network, node)).toEqual([]);
    await network.pass(5_000);
    await submit(network, network.node(0), transaction());
    await network.pass(300);
    expect((await build(network, node, network.genesisId, START_MS + 5_500)).length).toBeGreaterThan(0);
  });

  it('includes one orphan per block, even after a failed view: its producer may be dead', async () => {
    const network = createTestNetwork();
    const node = network.node(1);
    await uncertified(network);
    await uncertified(network);
    await network.pass(2_000);
    loseView(network, node);
    expect(await build(network, node, network.genesisId, START_MS + 2_500)).toHaveLength(1);
  });

  it('limits a busy producer to its share while others wait, and gives it the remaining capacity', async () => {
    const third = Math.floor((LIMITS[1] as number) / 4);
    const rules = { unitsOf: () => [1, third, 0, 0, 0], feeOf: () => 0n };
    const network = createTestNetwork({ overrides: { rules } });
    const producers: number[] = [];
    for (const index of [0, 0, 0, 0, 2]) {
      await submit(network, network.node(index), transaction({ from: accountOf(index) }));
      await certify(network);
    }
    for (const { chunkId } of await build(network, network.node(1), network.genesisId, START_MS + 1_000)) {
      producers.push(network.node(1).attested.find((chunk) => chunk.chunkId === chunkId)?.producer ?? -1);
    }
    expect(producers).toEqual([0, 0, 2, 0]);
  });

  it('has a slot for every producer, however many chunks of one transaction another has sent before', async () => {
    const network = createTestNetwork();
    const { dissemination } = network.node(0);
    const bytes = transaction();
    for (let sequence = 1; sequence <= 300; sequence++) {
      void dissemination.onChunk(peerKey(1), frameOf(chunk([bytes], { sequence })));
    }
    await network.pass(10);
    const others = [2, 3].map((index) => transaction({ from: accountOf(index) }));
    for (const [i, each] of others.entries()) await submit(network, network.node(2 + i), each);
    await certify(network);
    const payload = await build(network, network.node(0), network.genesisId, START_MS + 500);
    expect(payload).toHaveLength(BLOCK_CHUNKS_MAX);
    expect(await idsOf(network.node(0), payload)).toEqual(expect.arrayContaining(others.map(idOf)));
  });
});
