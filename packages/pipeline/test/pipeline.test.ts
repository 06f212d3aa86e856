import { accountStateKey, decodeBalance } from '@slipstream/execution';
import {
  type Block,
  type BlockId,
  blockIdOf,
  checkProofStructure,
  createCommittee,
  type StateDigest,
} from '@slipstream/types';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  account,
  digestsOf,
  finalization,
  finalize,
  GENESIS,
  GENESIS_HASH,
  NOW_MS,
  type Node,
  type Proposed,
  quiet,
  settle,
  stateCertificate,
  transaction,
  transfer,
  until,
  untilCommitted,
  World,
} from './world.ts';

function balanceOf({ state }: Node, number: number): bigint {
  return decodeBalance(state.get(accountStateKey(account(number)).bytes));
}

describe('a block', () => {
  it('is executed before it is ordered, and committed once it is ordered and certified', async () => {
    const world = new World();
    const node = await world.open();
    const block = world.blockOn(GENESIS);
    const digest = await node.pipeline.execute(block.blockId, block.block);
    expect(node.pipeline.status()).toMatchObject({ executedHeight: 1, orderedHeight: 0, committedHeight: 0 });
    await until(() => node.state.pending().length === 1);
    finalize(node, block);
    await quiet();
    expect(node.pipeline.status()).toMatchObject({ orderedHeight: 1, certifiedHeight: 0, committedHeight: 0 });
    node.pipeline.certified(stateCertificate(block, digest));
    await untilCommitted(node, 1);
    expect(node.ordered).toEqual([1]);
    expect(node.committed[0]).toMatchObject({ blockId: block.blockId, stateDigest: digest, skipped: [] });
    expect(await world.unkept([block.block])).toEqual([]);
    expect(node.committed[0]?.hidden.share).toBeGreaterThan(0);
    expect(node.pipeline.status()).toMatchObject({ certifiedHeight: 1, blocks: 0 });
  });

  it('P1: is visible to no reader before it is committed', async () => {
    const world = new World();
    const node = await world.open();
    const block = world.blockOn(GENESIS, { transactions: [transaction({ actions: [transfer(9, 77n)] })] });
    const digest = await node.pipeline.execute(block.blockId, block.block);
    finalize(node, block);
    await quiet();
    expect(balanceOf(node, 9)).toBe(0n);
    expect(await node.ledger.block('latest')).toMatchObject({ blockId: GENESIS.blockId });
    expect(await node.ledger.block({ id: block.blockId })).toBeUndefined();
    node.pipeline.certified(stateCertificate(block, digest));
    await untilCommitted(node, 1);
    expect(balanceOf(node, 9)).toBe(77n);
    expect(await node.ledger.block('latest')).toMatchObject({ blockId: block.blockId });
  });

  it('has its chunks stored before it is visible in the state', async () => {
    const world = new World();
    const keeping = Promise.withResolvers<void>();
    let asked: BlockId | undefined;
    const keepChunks = (block: Block) => {
      asked = blockIdOf(block);
      return keeping.promise;
    };
    const node = await world.open({ components: { keepChunks } });
    const block = world.blockOn(GENESIS, { transactions: [transaction({ actions: [transfer(9, 77n)] })] });
    await settle(node, block);
    await until(() => asked !== undefined);
    await quiet();
    expect(asked).toEqual(block.blockId);
    expect([balanceOf(node, 9), node.pipeline.status().committedHeight, node.committed.length]).toEqual([0n, 0, 0]);
    keeping.resolve();
    await untilCommitted(node, 1);
    expect(balanceOf(node, 9)).toBe(77n);
  });

  it('waits for its chunks, and for its parent', async () => {
    const world = new World();
    const node = await world.open();
    const [first, second] = world.chainOn(GENESIS, 2) as [Proposed, Proposed];
    const settled: string[] = [];
    void node.pipeline.execute(second.blockId, second.block).then(() => settled.push('second'));
    await quiet();
    for (const id of world.chunks.keys()) world.held.add(id);
    void node.pipeline.execute(first.blockId, first.block).then(() => settled.push('first'));
    await quiet();
    expect(settled).toEqual([]);
    world.held.clear();
    await until(() => settled.length === 2);
    expect(settled).toEqual(['first', 'second']);
  });

  it('requests unavailable chunks again', async () => {
    const world = new World();
    let refusals = 3;
    const node = await world.open({
      components: {
        chunksOf: (_, block, signal) =>
          refusals-- > 0 ? Promise.reject(new Error('no peer has it')) : world.chunksOf(block, signal),
      },
    });
    await settle(node, world.blockOn(GENESIS));
    await untilCommitted(node, 1);
    expect(refusals).toBeLessThan(0);
  });

  it('is committed through the state certificate of a descendant, and so are its ancestors, each with a proof', async () => {
    const world = new World();
    const node = await world.open();
    const chain = world.chainOn(GENESIS, 4);
    const digests = await Promise.all(chain.map(({ blockId, block }) => node.pipeline.execute(blockId, block)));
    for (const block of chain) finalize(node, block);
    node.pipeline.certified(stateCertificate(chain[3] as Proposed, digests[3] as StateDigest));
    await untilCommitted(node, 4);
    const members = [0, 1, 2].map((index) => ({ weight: 1, blsPublicKey: new Uint8Array(48), peerKey: `${index}` }));
    const committee = createCommittee(members as never);
    for (const { receipts } of node.committed) {
      const proof = await node.ledger.inclusionProof(receipts[0]?.transactionId as never);
      if (proof === undefined) throw new Error('no proof');
      expect(checkProofStructure(proof, GENESIS_HASH, committee).ok).toBe(true);
    }
    expect(node.committed.map(({ block }) => block.height)).toEqual([1, 2, 3, 4]);
  });

  it('is committed when certificate and finalization arrive long before its chunks', async () => {
    const world = new World();
    const node = await world.open();
    const chain = world.chainOn(GENESIS, 3);
    const digests = await digestsOf(world, chain);
    for (const id of world.chunks.keys()) world.held.add(id);
    for (const [i, block] of chain.entries())
      node.pipeline.certified(stateCertificate(block, digests[i] as StateDigest));
    for (const block of chain) finalize(node, block);
    await quiet();
    expect(node.pipeline.status().committedHeight).toBe(0);
    world.held.clear();
    await untilCommitted(node, 3);
    expect(node.committed.map(({ certificate }) => certificate?.subject.height)).toEqual([1, 2, 3]);
  });

  it('P2: ends in the same state for any order of events', async () => {
    const world = new World();
    const chain = world.chainOn(GENESIS, 4);
    const digests = await digestsOf(world, chain);
    const feeds = chain.flatMap((block, i) => [
      (node: Node) => void node.pipeline.execute(block.blockId, block.block),
      (node: Node) => node.pipeline.certified(stateCertificate(block, digests[i] as StateDigest)),
      (node: Node) => node.pipeline.notarized(block.blockId),
    ]);
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray(feeds, { minLength: feeds.length }),
        fc.array(fc.integer({ min: 0, max: feeds.length }), { minLength: 4, maxLength: 4 }),
        fc.constantFrom('parallel' as const, 'sequential' as const),
        async (order, places, mode) => {
          const node = await withChunksOf(world).open({ mode });
          const finals = places.sort((a, b) => a - b);
          for (const [i, feed] of [...order, undefined].entries()) {
            for (const block of chain.filter((_, at) => finals[at] === i)) finalize(node, block);
            feed?.(node);
            if (i % 3 === 0) await new Promise((resolve) => setImmediate(resolve));
          }
          await untilCommitted(node, 4);
          expect(node.committed.map(({ stateDigest }) => stateDigest)).toEqual(digests);
          expect(node.pipeline.status()).toMatchObject({ blocks: 0 });
        },
      ),
      { numRuns: 60 },
    );
  });
});

function withChunksOf(world: World): World {
  const other = new World();
  for (const [id, chunk] of world.chunks) other.chunks.set(id, chunk);
  return other;
}

describe('finality', () => {
  it('is accepted in order of height: a gap is refused, a repetition ignored', async () => {
    const world = new World();
    const node = await world.open();
    const [first, second] = world.chainOn(GENESIS, 2) as [Proposed, Proposed];
    expect(() => finalize(node, second)).toThrow(expect.objectContaining({ code: 'order-gap' }));
    await settle(node, first);
    finalize(node, first);
    await untilCommitted(node, 1);
    finalize(node, first);
    await settle(node, second);
    await untilCommitted(node, 2);
    expect(node.ordered).toEqual([1, 2]);
  });

  it('by a state certificate counts as finality and certification', async () => {
    const world = new World();
    const node = await world.open();
    const block = world.blockOn(GENESIS);
    const digest = await node.pipeline.execute(block.blockId, block.block);
    node.pipeline.finalized(block.blockId, block.block, stateCertificate(block, digest));
    await untilCommitted(node, 1);
  });

  it('is recorded with the finalization of the block itself, not of a descendant', async () => {
    const world = new World();
    const node = await world.open();
    const [first, second] = world.chainOn(GENESIS, 2) as [Proposed, Proposed];
    const digests = await Promise.all(
      [first, second].map(({ blockId, block }) => node.pipeline.execute(blockId, block)),
    );
    node.pipeline.finalized(first.blockId, first.block, finalization(second));
    node.pipeline.finalized(second.blockId, second.block, finalization(second));
    node.pipeline.certified(stateCertificate(second, digests[1] as StateDigest));
    await untilCommitted(node, 2);
    expect((await node.ledger.certificates(1)).finalization).toBeUndefined();
    expect((await node.ledger.certificates(2)).finalization).toEqual(finalization(second));
  });
});

describe('a late executor', () => {
  it('reports the digest of a block committed long before, and of no rival of it', async () => {
    const world = new World();
    const node = await world.open();
    const [first, second] = world.chainOn(GENESIS, 2) as [Proposed, Proposed];
    const digest = await settle(node, first);
    await settle(node, second);
    await untilCommitted(node, 2);
    expect(await node.pipeline.execute(first.blockId, first.block)).toEqual(digest);
    const rival = world.blockOn(GENESIS, { view: 5 });
    let answered = false;
    void node.pipeline.execute(rival.blockId, rival.block).then(() => {
      answered = true;
    });
    await quiet();
    expect(answered).toBe(false);
    expect(node.pipeline.status().blocks).toBe(0);
  });

  it('stores a late certificate of a committed block, which shortens proofs', async () => {
    const world = new World();
    const node = await world.open();
    const [first, second] = world.chainOn(GENESIS, 2) as [Proposed, Proposed];
    const digests = await Promise.all(
      [first, second].map(({ blockId, block }) => node.pipeline.execute(blockId, block)),
    );
    for (const block of [first, second]) finalize(node, block);
    node.pipeline.certified(stateCertificate(second, digests[1] as StateDigest));
    await untilCommitted(node, 2);
    expect((await node.ledger.proofMaterial(1))?.preimages.length).toBe(2);
    node.pipeline.certified(stateCertificate(first, digests[0] as StateDigest));
    await quiet();
    expect((await node.ledger.proofMaterial(1))?.preimages.length).toBe(1);
  });
});

describe('replay protection', () => {
  const once = transaction({ actions: [transfer(3, 10n)], expiryMs: NOW_MS + 60_000 });

  it('skips what an ancestor executed, on this branch only', async () => {
    const world = new World();
    const node = await world.open();
    const first = world.blockOn(GENESIS, { transactions: [once] });
    const again = world.blockOn(first, { transactions: [once] });
    const elsewhere = world.blockOn(GENESIS, { view: 7, transactions: [once] });
    for (const { blockId, block } of [elsewhere, first]) await node.pipeline.execute(blockId, block);
    await settle(node, first);
    await settle(node, again);
    await untilCommitted(node, 2);
    expect(node.committed.map(({ receipts }) => receipts.length)).toEqual([1, 0]);
    expect(node.committed[1]?.skipped).toEqual([{ id: once.id, reason: 'duplicate' }]);
  });

  it('survives a restart, and expires by executed time', async () => {
    const world = new World();
    const first = world.blockOn(GENESIS, { transactions: [once] });
    const before = await world.open();
    await settle(before, first);
    await untilCommitted(before, 1);
    await before.pipeline.stop();
    const node = await world.open();
    expect(node.pipeline.status().replayIds).toBe(1);
    const again = world.blockOn(first, { transactions: [once], timestampMs: NOW_MS + 59_999 });
    await settle(node, again);
    await untilCommitted(node, 2);
    expect(node.committed[0]?.skipped).toEqual([{ id: once.id, reason: 'duplicate' }]);
    const later = world.blockOn(again, { transactions: [], timestampMs: NOW_MS + 60_101 });
    await settle(node, later);
    await untilCommitted(node, 3);
    expect(node.pipeline.status().replayIds).toBe(0);
  });
});

describe('stopping', () => {
  it('reports a block whose commit was in progress', async () => {
    const world = new World();
    const node = await world.open();
    const { commit } = node.state;
    let stopping: Promise<void> | undefined;
    Object.assign(node.state, {
      async commit(id: Parameters<typeof commit>[0]) {
        stopping = node.pipeline.stop();
        await commit(id);
      },
    });
    void settle(node, world.blockOn(GENESIS));
    await until(() => stopping !== undefined);
    await stopping;
    expect(node.committed.map(({ block }) => block.height)).toEqual([1]);
  });

  it('finishes running work, starts no more, and is idempotent', async () => {
    const world = new World();
    const node = await world.open();
    const chain = world.chainOn(GENESIS, 3);
    for (const block of chain) void settle(node, block);
    await until(() => node.pipeline.status().committedHeight >= 1);
    await Promise.all([node.pipeline.stop(), node.pipeline.stop()]);
    const { committedHeight } = node.pipeline.status();
    await quiet();
    expect(node.pipeline.status()).toMatchObject({ committedHeight, state: 'stopped' });
    const next = await world.open();
    expect(next.pipeline.status().committedHeight).toBe(committedHeight);
    for (const block of chain.slice(committedHeight)) await settle(next, block);
    await untilCommitted(next, 3);
  });
});
