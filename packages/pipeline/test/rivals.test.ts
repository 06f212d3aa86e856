import { blockIdOf, type ChunkId, height, hexOf, type StateDigest } from '@slipstream/types';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TABLES } from '../../ledger/src/keys.ts';
import {
  digestsOf,
  finalize,
  GENESIS,
  type Node,
  type Proposed,
  quiet,
  settle,
  stateCertificate,
  transaction,
  until,
  untilCommitted,
  World,
} from './world.ts';

const idOf = ({ blockId }: Proposed) => hexOf(blockId);

function pendingOf({ state }: Node): readonly string[] {
  return state.pending();
}

describe('rivals at a height', () => {
  it('are all executed, and one is appended', async () => {
    const world = new World();
    const node = await world.open();
    const [first, second] = [world.blockOn(GENESIS), world.blockOn(GENESIS)];
    const digests = await Promise.all(
      [first, second].map(({ blockId, block }) => node.pipeline.execute(blockId, block)),
    );
    expect(digests[0]).not.toEqual(digests[1]);
    await quiet();
    expect(pendingOf(node)).toEqual([idOf(first)]);
    expect(node.pipeline.digestOf(second.blockId)).toEqual(digests[1]);
  });

  it('one with an unavailable chunk does not delay another with a chunk in common', async () => {
    const world = new World();
    const node = await world.open();
    const [honest, missing] = [world.blockOn(GENESIS), world.blockOn(GENESIS)];
    const hostile = world.blockOn(GENESIS, { payload: [...honest.block.payload, ...missing.block.payload] });
    world.held.add(hexOf(missing.block.payload[0]?.chunkId as ChunkId));
    void node.pipeline.execute(hostile.blockId, hostile.block);
    await settle(node, honest);
    await untilCommitted(node, 1);
    expect(node.pipeline.status().blocks).toBe(0);
  });

  it('P3: the losing one leaves no trace in store, ledger and memory', async () => {
    const world = new World();
    const node = await world.open();
    const [loser, winner] = [world.blockOn(GENESIS), world.blockOn(GENESIS)];
    const child = world.blockOn(loser);
    for (const { blockId, block } of [loser, child]) await node.pipeline.execute(blockId, block);
    await until(() => pendingOf(node).length === 2);
    const digest = await node.pipeline.execute(winner.blockId, winner.block);
    finalize(node, winner);
    await until(() => pendingOf(node).includes(idOf(winner)));
    expect(pendingOf(node)).toEqual([idOf(winner)]);
    expect((await node.state.stats()).prepared).toBe(1);
    expect(node.pipeline.status().blocks).toBe(1);
    node.pipeline.certified(stateCertificate(winner, digest));
    await untilCommitted(node, 1);
    expect(await traces(world, node)).toEqual(await tracesOf([winner], world));
  });

  it('an appended one yields to a notarized rival of a higher view, and is appended again if it is final', async () => {
    const world = new World();
    const node = await world.open();
    const low = world.blockOn(GENESIS, { view: 3 });
    const high = world.blockOn(GENESIS, { view: 4 });
    const digest = await node.pipeline.execute(low.blockId, low.block);
    await until(() => pendingOf(node).length === 1);
    await node.pipeline.execute(high.blockId, high.block);
    node.pipeline.notarized(high.blockId);
    await until(() => pendingOf(node)[0] === idOf(high));
    expect(node.pipeline.status().parked).toBe(1);
    expect((await node.state.stats()).prepared).toBe(1);
    finalize(node, low);
    await until(() => pendingOf(node)[0] === idOf(low));
    node.pipeline.certified(stateCertificate(low, digest));
    await untilCommitted(node, 1);
    expect(node.committed[0]?.stateDigest).toEqual(digest);
  });

  it('a notarized one stays appended when a rival of a higher view is not notarized', async () => {
    const world = new World();
    const node = await world.open();
    const low = world.blockOn(GENESIS, { view: 3 });
    const high = world.blockOn(GENESIS, { view: 4 });
    await node.pipeline.execute(low.blockId, low.block);
    node.pipeline.notarized(low.blockId);
    await node.pipeline.execute(high.blockId, high.block);
    await quiet();
    expect(pendingOf(node)).toEqual([idOf(low)]);
  });

  it('one with a child wins over an equivocation of its own view', async () => {
    const world = new World();
    const node = await world.open();
    const [first, second] = [world.blockOn(GENESIS), world.blockOn(GENESIS)];
    await node.pipeline.execute(first.blockId, first.block);
    await node.pipeline.execute(second.blockId, second.block);
    const child = world.blockOn(second);
    await node.pipeline.execute(child.blockId, child.block);
    await until(() => pendingOf(node).length === 2);
    expect(pendingOf(node)).toEqual([idOf(second), idOf(child)]);
  });

  it('retain a bounded number of results, those of the strongest branch completely', async () => {
    const world = new World();
    const node = await world.open();
    const trunk = world.chainOn(GENESIS, 20);
    for (const { blockId, block } of trunk) await node.pipeline.execute(blockId, block);
    for (let i = 0; i < 150; i++) {
      const rival = world.blockOn(GENESIS, { view: 1, transactions: [transaction()] });
      void node.pipeline.execute(rival.blockId, rival.block);
    }
    await until(() => node.pipeline.status().executorWaiting === 0);
    await quiet();
    const { blocks, parked } = node.pipeline.status();
    expect(blocks - parked).toBeLessThanOrEqual(129);
    expect(pendingOf(node)).toEqual(trunk.map(idOf));
  });

  it('with a height far above that of their parent leave no trace once another child of it is final', async () => {
    const world = new World();
    const node = await world.open();
    for (let i = 0; i < 10; i++) {
      const block = { ...world.blockOn(GENESIS).block, height: height(2 ** 50 + i) };
      await node.pipeline.execute(blockIdOf(block), block);
    }
    await quiet();
    for (const block of world.chainOn(GENESIS, 2)) await settle(node, block);
    await untilCommitted(node, 2);
    await quiet();
    expect(node.pipeline.status().blocks).toBe(0);
  });

  it('orphans of a branch that never arrived are dropped when their height is final', async () => {
    const world = new World();
    const node = await world.open();
    const unknown = world.blockOn(GENESIS, { view: 9 });
    const orphan = world.blockOn(unknown);
    void node.pipeline.execute(orphan.blockId, orphan.block);
    const chain = world.chainOn(GENESIS, 2);
    for (const block of chain) await settle(node, block);
    await untilCommitted(node, 2);
    await quiet();
    expect(node.pipeline.status().blocks).toBe(0);
  });
});

/** What a node of its own holds after committing only these blocks. */
async function tracesOf(chain: readonly Proposed[], world: World) {
  const other = new World();
  for (const [id, chunk] of world.chunks) other.chunks.set(id, chunk);
  const node = await other.open();
  for (const block of chain) await settle(node, block);
  await untilCommitted(node, chain.length);
  return traces(other, node);
}

async function traces(world: World, node: Node) {
  await node.pipeline.stop();
  const all = { from: new Uint8Array([0]), to: new Uint8Array([255]), limit: 100_000 };
  return {
    state: node.state.entries(undefined, 10_000),
    stats: await node.state.stats(),
    files: world.disk
      .paths()
      .filter((path) => !path.includes('journal'))
      .map((path) => [path, world.disk.contents(path)]),
    // Without finalizations: the feeds of the two nodes carry different ones. Bodies of rivals stay in the files, so places differ.
    ledger: (await world.store.mount().range(all))
      .filter(({ key }) => key[0] !== TABLES.finalization && key[0] !== TABLES.view)
      .map(({ key, value }) => (key[0] === TABLES.place ? { key } : { key, value })),
  };
}

interface Step {
  readonly what: 'execute' | 'notarize' | 'finalize' | 'certify' | 'wait';
  readonly which: number;
}

const steps = fc.array(
  fc.record({
    what: fc.constantFrom<Step['what']>('execute', 'execute', 'notarize', 'finalize', 'certify', 'wait'),
    which: fc.nat(11),
  }),
  { maxLength: 60 },
);

describe('any schedule of rivals', () => {
  it('P2, P3: ends with the state, files and ledger of a node that received the final chain alone', async () => {
    const world = new World();
    const trunk = world.chainOn(GENESIS, 4);
    const parents = [GENESIS, ...trunk];
    const rivals = [0, 0, 1, 1, 2, 3].map((at, i) => world.blockOn(parents[at] as Proposed, { view: 2 + at + i }));
    const grandchildren = [rivals[0], rivals[2]].map((rival) => world.blockOn(rival as Proposed));
    const blocks = [...trunk, ...rivals, ...grandchildren];
    const digests = await digestsOf(world, trunk);
    const expected = await tracesOf(trunk, world);
    await fc.assert(
      fc.asyncProperty(
        steps,
        fc.constantFrom('parallel' as const, 'sequential' as const),
        fc.nat(999),
        async (schedule, mode, seed) => {
          const own = new World({ slow: true, seed });
          for (const [id, chunk] of world.chunks) own.chunks.set(id, chunk);
          const node = await own.open({ mode });
          let final = 0;
          const finalizeNext = () => {
            if (trunk[final]) finalize(node, trunk[final++] as Proposed);
          };
          for (const { what, which } of schedule) {
            const block = blocks[which] as Proposed;
            if (what === 'execute') void node.pipeline.execute(block.blockId, block.block);
            if (what === 'notarize') node.pipeline.notarized(block.blockId);
            if (what === 'finalize') finalizeNext();
            if (what === 'certify' && which < 4)
              node.pipeline.certified(stateCertificate(trunk[which] as Proposed, digests[which] as StateDigest));
            if (what === 'wait') for (let i = 0; i < which; i++) await new Promise((resolve) => setImmediate(resolve));
            expect(node.committed.length).toBeLessThanOrEqual(final);
          }
          while (final < 4) finalizeNext();
          for (const [i, block] of trunk.entries())
            node.pipeline.certified(stateCertificate(block, digests[i] as StateDigest));
          await untilCommitted(node, 4);
          await quiet();
          const found = await traces(own, node);
          expect(found.state).toEqual(expected.state);
          expect(found.stats).toEqual(expected.stats);
          expect(found.files).toEqual(expected.files);
          expect(found.ledger.filter(({ key }) => key[0] !== 7)).toEqual(
            expected.ledger.filter(({ key }) => key[0] !== 7),
          );
          expect(node.pipeline.status()).toMatchObject({ blocks: 0, parked: 0 });
        },
      ),
      { numRuns: 400 },
    );
  });
});
