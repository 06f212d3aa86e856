import { asId, type StateDigest } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import {
  executeBlock,
  finalize,
  GENESIS,
  type Node,
  type Proposed,
  quiet,
  settle,
  stateCertificate,
  until,
  untilCommitted,
  World,
} from './world.ts';

const OTHER = asId<StateDigest>(new Uint8Array(32).fill(0xee));

async function frozen(world: World, node: Node): Promise<void> {
  const calls = world.disk.callsMade;
  const next = world.blockOn(GENESIS, { view: 40 });
  void node.pipeline.execute(next.blockId, next.block);
  finalize(node, next);
  await quiet();
  expect(world.disk.callsMade).toBe(calls);
  await node.pipeline.stop();
}

describe('P4: a state certificate that differs from the local digest', () => {
  it('halts the pipeline for good, naming block, own and certified digest', async () => {
    const world = new World();
    const node = await world.open();
    const block = world.blockOn(GENESIS);
    const own = await node.pipeline.execute(block.blockId, block.block);
    finalize(node, block);
    await quiet();
    const certified = stateCertificate(block, OTHER);
    node.pipeline.certified(certified);
    expect(node.halts).toEqual([{ type: 'diverged', blockId: block.blockId, block: block.block, own, certified }]);
    await frozen(world, node);
    expect(node.pipeline.status()).toMatchObject({ state: 'diverged', committedHeight: 0 });
  });

  it('halts it also when the certificate came before execution', async () => {
    const world = new World();
    const node = await world.open();
    const block = world.blockOn(GENESIS);
    node.pipeline.certified(stateCertificate(block, OTHER));
    void node.pipeline.execute(block.blockId, block.block);
    finalize(node, block);
    await until(() => node.halts.length > 0);
    await frozen(world, node);
    expect(node.committed).toEqual([]);
  });

  it.each(['before', 'after'] as const)(
    'halts it when it certifies another block of the height %s that one is committed',
    async (when) => {
      const world = new World();
      const node = await world.open();
      const [block, fork] = [world.blockOn(GENESIS), world.blockOn(GENESIS)] as const;
      const certified = stateCertificate(fork, OTHER);
      if (when === 'before') node.pipeline.certified(certified);
      const own = await settle(node, block);
      await until(() => node.halts.length > 0 || node.pipeline.status().committedHeight === 1);
      await quiet();
      if (when === 'after') node.pipeline.certified(certified);
      await quiet();
      expect(node.halts).toMatchObject([{ type: 'diverged', blockId: block.blockId, own, certified }]);
    },
  );

  it('halts it when a descendant reveals it: no block of the branch is committed', async () => {
    const world = new World();
    const node = await world.open();
    const [first, second] = world.chainOn(GENESIS, 2) as [Proposed, Proposed];
    for (const block of [first, second]) {
      await node.pipeline.execute(block.blockId, block.block);
      finalize(node, block);
    }
    node.pipeline.certified(stateCertificate(second, OTHER));
    expect(node.halts[0]).toMatchObject({ type: 'diverged', blockId: second.blockId });
    await quiet(); // an append that is under way ends
    await frozen(world, node);
    expect(node.committed).toEqual([]);
  });

  it('halts it for a block committed long before', async () => {
    const world = new World();
    const node = await world.open();
    const [first, second] = world.chainOn(GENESIS, 2) as [Proposed, Proposed];
    await settle(node, first);
    await settle(node, second);
    await untilCommitted(node, 2);
    node.pipeline.certified(stateCertificate(first, OTHER));
    await until(() => node.halts.length > 0);
    expect(node.halts[0]).toMatchObject({ type: 'diverged', blockId: first.blockId });
  });
});

describe('a block that cannot be executed', () => {
  it('gets no vote, nor do its descendants; rivals are executed', async () => {
    const world = new World();
    const bad = world.blockOn(GENESIS);
    const node = await world.open({ components: { executeBlock: failingFor(bad) } });
    const child = world.blockOn(bad);
    let voted = 0;
    for (const { blockId, block } of [bad, child]) void node.pipeline.execute(blockId, block).then(() => voted++);
    await quiet();
    const later = world.blockOn(child);
    void node.pipeline.execute(later.blockId, later.block).then(() => voted++);
    const rival = world.blockOn(GENESIS, { view: 5 });
    await settle(node, rival);
    await untilCommitted(node, 1);
    expect(voted).toBe(0);
    expect(node.halts).toEqual([]);
  });

  it('halts the pipeline when it is final', async () => {
    const world = new World();
    const bad = world.blockOn(GENESIS);
    const node = await world.open({ components: { executeBlock: failingFor(bad) } });
    void node.pipeline.execute(bad.blockId, bad.block);
    await quiet();
    finalize(node, bad);
    await until(() => node.halts.length > 0);
    expect(node.halts[0]).toMatchObject({ type: 'failed', stage: 'execute', blockId: bad.blockId });
  });
});

function failingFor(bad: Proposed): typeof executeBlock {
  return (block) => {
    if (block.timestampMs === bad.block.timestampMs && block.proposer === bad.block.proposer) throw new Error('broken');
    return executeBlock(block);
  };
}

describe('a failing disk', () => {
  it.each(['write', 'sync'] as const)('halts the pipeline at a failed %s', async (operation) => {
    const world = new World();
    const node = await world.open();
    world.disk.failWhen((call) => (call.operation === operation ? 'io' : undefined));
    void settle(node, world.blockOn(GENESIS));
    await until(() => node.halts.length > 0);
    expect(node.halts[0]).toMatchObject({ type: 'failed', stage: 'optCommit' });
    expect(node.committed).toEqual([]);
    await node.pipeline.stop();
  });

  it('halts the pipeline when the ledger cannot be written', async () => {
    const world = new World();
    const node = await world.open();
    const block = world.blockOn(GENESIS);
    const digest = await node.pipeline.execute(block.blockId, block.block);
    await until(() => node.state.pending().length === 1);
    await quiet();
    world.store.failWhen(() => 'no-space');
    finalize(node, block);
    node.pipeline.certified(stateCertificate(block, digest));
    await until(() => node.halts.length > 0);
    expect(node.halts[0]).toMatchObject({ type: 'failed', stage: 'commit' });
    expect(node.state.tip.batch).toBe((await (await new World().open()).state).tip.batch);
  });
});
