/** Which chunks a leader's block references, and when it hopes. */
import { BLOCK_CHUNKS_MAX } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { chunk, frameOf } from './chunk-forms.ts';
import { build, certify, check, idsOf, NOW_MS, submit } from './steps.ts';
import { accountOf, block, createWorld, idOf, LIMITS, peerKey, START_MS, transaction, type World } from './world.ts';

/** A chunk of member 0 that is stored by all and certified by nobody: its acks are lost. */
async function uncertified(world: World): Promise<void> {
  for (const index of [1, 2, 3]) world.lose(peerKey(index), peerKey(0));
  await submit(world, world.node(0), transaction());
  await world.pass(100);
  for (const index of [0, 1, 2, 3]) expect(world.node(index).attested).toEqual([]);
}

describe('a payload', () => {
  it('is empty when there is nothing, and no matter for full nodes', async () => {
    const world = createWorld();
    expect(await build(world, world.node(0))).toEqual([]);
    await expect(build(world, world.fullNode)).rejects.toMatchObject({ code: 'not-a-validator' });
  });

  it('references certified chunks of all producers, oldest first', async () => {
    const world = createWorld();
    const transactions = [2, 0, 3].map((index) => transaction({ from: accountOf(index) }));
    for (const bytes of transactions) {
      await submit(world, world.node(1), bytes);
      await certify(world);
    }
    const payload = await build(world, world.node(1), world.genesisId, NOW_MS + 500);
    expect(await idsOf(world.node(1), payload)).toEqual(transactions.map(idOf));
    expect(payload.every(({ certificate }) => certificate !== undefined)).toBe(true);
  });

  it('leaves out what an ancestor references (D2), and takes it on another branch', async () => {
    const world = createWorld();
    const node = world.node(1);
    await submit(world, world.node(0), transaction());
    await certify(world);
    const first = block({ parentId: world.genesisId, payload: await build(world, node) });
    node.dissemination.noteBlock(first.id, first.block);
    expect(await build(world, node, first.id, NOW_MS + 1)).toEqual([]);
    expect(await build(world, node, world.genesisId, NOW_MS + 1)).toHaveLength(1);
  });

  it('is empty on a parent whose ancestors are not known here: D2 cannot be judged', async () => {
    const world = createWorld();
    await submit(world, world.node(0), transaction());
    await certify(world);
    const unknown = block({ parentId: world.genesisId, payload: [] });
    expect(await build(world, world.node(1), unknown.id, NOW_MS + 1)).toEqual([]);
  });

  it('leaves out what has expired by the block’s time', async () => {
    const world = createWorld();
    await submit(world, world.node(0), transaction());
    await certify(world);
    expect(await build(world, world.node(1), world.genesisId, START_MS + 31_000)).toEqual([]);
  });

  it('hopes for a chunk without a certificate while nothing has failed, and every validator accepts it', async () => {
    const world = createWorld();
    await uncertified(world);
    const payload = await build(world, world.node(1));
    expect(payload.map(({ certificate }) => certificate)).toEqual([undefined]);
    const made = block({ parentId: world.genesisId, payload });
    for (const index of [0, 2, 3]) expect(await check(world, world.node(index), made, 10)).toBe('valid');
  });

  it('references certified chunks alone for a while after a failed view', async () => {
    const world = createWorld();
    const node = world.node(1);
    const { id, block: failed } = block({ parentId: world.genesisId, payload: [], height: 2 });
    node.dissemination.noteBlock(id, failed);
    await uncertified(world);
    expect(await build(world, node)).toEqual([]);
    await world.pass(5_000);
    await submit(world, world.node(0), transaction());
    await world.pass(300);
    expect((await build(world, node, world.genesisId, START_MS + 5_500)).length).toBeGreaterThan(0);
  });

  it('takes one orphan a block, even after a failed view: its producer may be dead', async () => {
    const world = createWorld();
    const node = world.node(1);
    const { id, block: failed } = block({ parentId: world.genesisId, payload: [], height: 2 });
    await uncertified(world);
    await uncertified(world);
    await world.pass(2_000);
    node.dissemination.noteBlock(id, failed);
    expect(await build(world, node, world.genesisId, START_MS + 2_500)).toHaveLength(1);
  });

  it('holds a busy producer to its share while others wait, and gives it what is left', async () => {
    const third = Math.floor((LIMITS[1] as number) / 4);
    const rules = { unitsOf: () => [1, third, 0, 0, 0], feeOf: () => 0n };
    const world = createWorld({ overrides: { rules } });
    const producers: number[] = [];
    for (const index of [0, 0, 0, 0, 2]) {
      await submit(world, world.node(index), transaction({ from: accountOf(index) }));
      await certify(world);
    }
    for (const { chunkId } of await build(world, world.node(1), world.genesisId, START_MS + 1_000)) {
      producers.push(world.node(1).attested.find((chunk) => chunk.chunkId === chunkId)?.producer ?? -1);
    }
    expect(producers).toEqual([0, 0, 2, 0]);
  });

  it('has a place for every producer, however many chunks of one transaction another has sent before', async () => {
    const world = createWorld();
    const { dissemination } = world.node(0);
    const bytes = transaction();
    for (let sequence = 1; sequence <= 300; sequence++) {
      void dissemination.onChunk(peerKey(1), frameOf(chunk([bytes], { sequence })));
    }
    await world.pass(10);
    const others = [2, 3].map((index) => transaction({ from: accountOf(index) }));
    for (const [i, each] of others.entries()) await submit(world, world.node(2 + i), each);
    await certify(world);
    const payload = await build(world, world.node(0), world.genesisId, START_MS + 500);
    expect(payload).toHaveLength(BLOCK_CHUNKS_MAX);
    expect(await idsOf(world.node(0), payload)).toEqual(expect.arrayContaining(others.map(idOf)));
  });
});
