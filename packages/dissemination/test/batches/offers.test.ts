/** What a producer does with batches that brokers offer (D26). */
import { decodeBatch, unitsOfBatch } from '@slipstream/distilled';
import { fromHex } from '@slipstream/primitives';
import {
  asId,
  CHUNK_BATCHES_MAX,
  chunkBodyCodec,
  chunkIdOf,
  NO_UNITS,
  signedChunkCodec,
  type TransactionId,
  type Units,
} from '@slipstream/types';
import { describe, expect, it, test } from 'vitest';
import { createJudgedBounds, JUDGED_BYTES_MAX, JUDGED_OF_BROKER_BYTES_MAX } from '../../src/batches/judged-bounds.ts';
import type { BlockOutcome } from '../../src/dissemination.ts';
import { BROKER, batchBytes, batchIdIn, HEIGHT, networkWithBatches } from '../harness/batches.ts';
import { chunk, frameOf } from '../harness/chunks.ts';
import { block, type Node, peerKey, type TestNetwork, transaction } from '../harness/network.ts';
import { START_MS } from '../harness/start-time.ts';
import { build } from '../harness/steps.ts';

const EXPIRY_MS = START_MS + 50_000;

async function offered(network: TestNetwork, node: Node, bytes: Uint8Array, broker = BROKER) {
  const result = node.dissemination.offerBatch(bytes, broker);
  await network.pass();
  return result;
}

function unitsIn(bytes: Uint8Array): Units {
  const batch = decodeBatch(bytes);
  return batch.ok ? unitsOfBatch(batch.value, bytes.length) : NO_UNITS;
}

/** Headers of chunks that the node logged, and their batches. */
function packedBy(node: Node) {
  return node.log.flatMap(({ kind, payload }) => {
    const made = kind === 'chunk' ? signedChunkCodec.decode(payload) : undefined;
    const body = made?.ok ? chunkBodyCodec.decode(made.value.body) : undefined;
    return made?.ok && body?.ok ? [{ header: made.value.header, ...body.value }] : [];
  });
}

test('bytes under judgement are bounded, of one broker and of all (D26)', () => {
  const bounds = createJudgedBounds();
  const entered = (i: number, bytes: number) => bounds.enter(peerKey(i), bytes, i === 6);
  expect(entered(1, JUDGED_OF_BROKER_BYTES_MAX)).toBe(true);
  expect(entered(1, 1)).toBe(false);
  for (const i of [2, 3, 4]) expect(entered(i, JUDGED_BYTES_MAX / 4)).toBe(true);
  expect(entered(5, 1)).toBe(false);
  expect(entered(6, 1)).toBe(true);
  bounds.leave(peerKey(6), 1);
  bounds.leave(peerKey(1), JUDGED_OF_BROKER_BYTES_MAX);
  expect([entered(5, 1), entered(1, 1)]).toEqual([true, true]);
});

describe('an offered batch', () => {
  it('is packed with transactions, stored by all and valid everywhere, at the cost of one check a node', async () => {
    const { network, claims } = networkWithBatches();
    const producer = network.node(0);
    void producer.dissemination.submit(transaction());
    const batch = batchBytes();
    expect(await offered(network, producer, batch)).toMatchObject({ type: 'accepted', expiryMs: EXPIRY_MS });
    expect(producer.pending.at(-1)).toBe(true);
    await network.pass(150);
    const [made, ...more] = packedBy(producer);
    expect(more).toEqual([]);
    expect(made?.header).toMatchObject({ transactionCount: 1, batchCount: 1, rowCount: 3 });
    expect(made?.batches).toEqual([batch]);
    const payload = await build(network, network.node(2), network.genesisId, network.nowMs());
    const next = block({ parentId: network.genesisId, payload, height: HEIGHT + 1 });
    for (const index of [0, 1, 2, 3]) {
      const node = network.node(index);
      const chunks = node.dissemination.payloadOf(next.id, next.block, new AbortController().signal);
      await network.pass();
      expect((await chunks).flatMap(({ batches }) => batches.map(({ isValid }) => isValid))).toEqual([true]);
      expect(node.offences).toEqual([]);
      expect(claims.filter(({ peer }) => peer === node.peer)).toHaveLength(1);
    }
  });

  it('of many brokers together is bounded, and the broker of this node has its own bound (D26)', async () => {
    const { network } = networkWithBatches();
    const { dissemination, peer } = network.node(0);
    const results = [];
    for (let i = 0; i < 300; i++)
      results.push(await dissemination.offerBatch(new Uint8Array(), peerKey(100 + (i % 100))));
    const reasons = results.map((result) => (result.type === 'rejected' ? result.reason : result.type));
    expect(reasons.filter((reason) => reason === 'verification-limit')).toHaveLength(300 - 128);
    expect(await offered(network, network.node(0), batchBytes({ header: { broker: peer } }), peer)).toMatchObject({
      type: 'accepted',
    });
  });

  it.each([
    ['malformed', batchBytes().slice(1)],
    ['wrong-epoch', batchBytes({ header: { epoch: 1 } })],
    ['expired', batchBytes({ header: { expiryMs: START_MS } })],
    ['expiry-too-far', batchBytes({ header: { expiryMs: START_MS + 70_000 } })],
    ['known-at-bounds', batchBytes({ header: { knownAt: HEIGHT + 1 } })],
    ['bad-signature', batchBytes({ falseAggregate: true })],
    ['bad-signature', batchBytes({ senders: [45] })],
    ['bad-signature', batchBytes({ header: { root: new Uint8Array(32) } })],
    ['not-its-broker', batchBytes({ header: { broker: peerKey(51) } })],
  ])('is refused as %s', async (reason, bytes) => {
    const { network } = networkWithBatches();
    expect(await offered(network, network.node(0), bytes)).toMatchObject({ type: 'rejected', reason });
    await network.pass(1_000);
    expect(packedBy(network.node(0))).toEqual([]);
  });

  it('is known while it waits, is in a chunk, or is on the chain', async () => {
    const { network } = networkWithBatches();
    let node = network.node(0);
    const batch = batchBytes();
    const whereIs = async () => {
      const result = await offered(network, node, batch);
      return result.type === 'known' ? result.where : result.type;
    };
    expect(await whereIs()).toBe('accepted');
    expect(await whereIs()).toBe('waiting');
    await network.pass(150);
    expect(await whereIs()).toBe('chunk');
    node = await network.restart(0);
    expect(await whereIs()).toBe('chunk');
    const payload = await build(network, node, network.genesisId, network.nowMs());
    const made = block({ parentId: network.genesisId, payload, height: HEIGHT + 1 });
    node.dissemination.committed(made.id, made.block, { executedIds: [], skipped: [] });
    expect(await whereIs()).toBe('chain');
    expect(node.dissemination.stats().batches.waiting).toBe(0);
  });

  it('stays here when a block skipped a copy with a false aggregate, and is dropped when a block ran it', async () => {
    const { network } = networkWithBatches({ limits: { chunkDelayMs: 10_000 } });
    const node = network.node(0);
    const header = { number: 1_000_000 };
    const [batch, copy] = [batchBytes({ header }), batchBytes({ header, falseAggregate: true })];
    const commit = async (at: number, bytes: Uint8Array, skipped: BlockOutcome['skipped']) => {
      const sent = chunk([], { sequence: at, acksWanted: false }, [bytes]);
      void node.dissemination.onChunk(peerKey(1), frameOf(sent));
      await network.pass();
      const payload = [{ chunkId: chunkIdOf(sent.header), certificate: undefined }];
      const made = block({ parentId: network.genesisId, payload, height: HEIGHT + at });
      node.dissemination.committed(made.id, made.block, { executedIds: [], skipped });
    };
    await offered(network, node, batch);
    const id = asId<TransactionId>(fromHex(batchIdIn(batch)));
    await commit(1, copy, [{ id, reason: 'bad-signature' }]);
    expect(await offered(network, node, batch)).toMatchObject({ type: 'known', where: 'waiting' });
    expect(await offered(network, node, copy)).toMatchObject({ type: 'known', where: 'chain' });
    await commit(2, batch, []);
    expect(await offered(network, node, batch)).toMatchObject({ type: 'known', where: 'chain' });
    expect(node.dissemination.stats().batches.waiting).toBe(0);
  });

  it('is bounded for each broker and in all, and a false one takes its broker’s work', async () => {
    const { network } = networkWithBatches({ limits: { brokerBatchesMax: 2, batchesMax: 6 } });
    const node = network.node(0);
    // No chunk is packed yet.
    const other = peerKey(51);
    const reasons: string[] = [];
    for (const broker of [BROKER, BROKER, BROKER, other, other]) {
      const result = await offered(network, node, batchBytes({ header: { broker } }), broker);
      reasons.push(result.type === 'rejected' ? result.reason : result.type);
    }
    expect(reasons).toEqual(['accepted', 'accepted', 'broker-limit', 'accepted', 'queue-full']);
    await network.pass(150);
    expect(await offered(network, node, batchBytes({ falseAggregate: true }))).toMatchObject({
      reason: 'bad-signature',
    });
    expect(await offered(network, node, batchBytes())).toMatchObject({ reason: 'verification-limit' });
    expect(await offered(network, node, batchBytes({ header: { broker: other } }), other)).toMatchObject({
      type: 'accepted',
    });
  });

  it('is packed again when its chunk expires without a block, and dropped when it expires itself', async () => {
    const { network } = networkWithBatches();
    const node = network.node(0);
    const batch = batchBytes();
    await offered(network, node, batch);
    await network.pass(150);
    expect(packedBy(node)).toHaveLength(1);
    await network.pass(30_000);
    node.dissemination.expire(START_MS + 31_000);
    await network.pass(1_000);
    expect(packedBy(node).map(({ batches }) => batches)).toEqual([[batch], [batch]]);
    node.dissemination.expire(START_MS + 100_000);
    await network.pass(1_000);
    expect(packedBy(node)).toHaveLength(2);
    expect(node.dissemination.hasPending()).toBe(false);
  });

  it('is dropped at the end of its epoch, since it is of no other (Z2)', async () => {
    const committees = [
      [0, 1, 2, 3],
      [0, 1, 2, 3],
    ];
    const { network } = networkWithBatches({ committees, limits: { chunkDelayMs: 10_000 } });
    const node = network.node(0);
    await offered(network, node, batchBytes());
    expect(node.dissemination.stats().batches.waiting).toBe(1);
    node.seal();
    node.move();
    await network.pass(20_000);
    expect(node.dissemination.stats().batches.waiting).toBe(0);
    expect(packedBy(node)).toEqual([]);
  });

  it('larger than a chunk’s share of a block waits for no pause of transactions', async () => {
    const { network } = networkWithBatches({ unitLimits: [[4_000_000, 4_000, 100_000, 1_000_000, 100_000]] });
    const node = network.node(0);
    const batch = batchBytes();
    expect(unitsIn(batch)[1]).toBeGreaterThan(4_000 / 4);
    void node.dissemination.submit(transaction());
    await offered(network, node, batch);
    await network.pass(3_000);
    expect(packedBy(node).map(({ batches, transactions }) => [batches.length, transactions.length])).toEqual([
      [1, 0],
      [0, 1],
    ]);
  });

  it('waits for no transaction that expired here, while no block removes it', async () => {
    const { network } = networkWithBatches({ unitLimits: [[4_000_000, 4_000, 100_000, 1_000_000, 100_000]] });
    const node = network.node(0);
    void node.dissemination.submit(transaction({ expiryMs: START_MS + 300 }));
    await offered(network, node, batchBytes());
    await network.pass(100);
    await offered(network, node, batchBytes());
    await network.pass(3_000);
    expect(packedBy(node).map(({ batches, transactions }) => [batches.length, transactions.length])).toEqual([
      [1, 0],
      [1, 0],
    ]);
  });

  it('is packed beside small transactions at once, while a large one takes a chunk of its own', async () => {
    const { network } = networkWithBatches({ unitLimits: [[6_000, 40_000, 100_000, 1_000_000, 100_000]] });
    const node = network.node(0);
    const [large, small] = [transaction({ dataBytes: 4_000 }), transaction()];
    for (const bytes of [large, small]) void node.dissemination.submit(bytes);
    const batch = batchBytes();
    await offered(network, node, batch);
    await network.pass(150);
    expect(packedBy(node).map(({ batches, transactions }) => ({ batches, transactions }))).toEqual([
      { batches: [], transactions: [large] },
      { batches: [batch], transactions: [small] },
    ]);
  });

  it('leaves small transactions their chunk in turn, while large ones take chunks of their own', async () => {
    const { network } = networkWithBatches({ unitLimits: [[6_000, 4_000, 100_000, 1_000_000, 100_000]] });
    const node = network.node(0);
    const large = Array.from({ length: 6 }, () => transaction({ dataBytes: 4_000 }));
    const small = transaction();
    for (const bytes of [...large, small]) void node.dissemination.submit(bytes);
    for (let i = 0; i < 6; i++) await offered(network, node, batchBytes());
    await network.pass(3_000);
    const packed = packedBy(node).map(({ batches, transactions }) => {
      if (batches.length > 0) return 'batch';
      return (transactions[0] as Uint8Array).length > 4_000 ? 'large' : 'small';
    });
    expect(packed.slice(0, 4)).toEqual(['large', 'batch', 'large', 'small']);
    expect(packed.filter((what) => what === 'large')).toHaveLength(6);
    expect(packed.filter((what) => what === 'batch')).toHaveLength(6);
  });

  it('waits for the next chunk if one is full', async () => {
    const { network } = networkWithBatches();
    const node = network.node(0);
    const brokers = [50, 51].map(peerKey);
    const offers = brokers.flatMap((broker) =>
      Array.from({ length: 40 }, () =>
        node.dissemination.offerBatch(batchBytes({ senders: [1], header: { broker } }), broker),
      ),
    );
    await network.pass();
    expect((await Promise.all(offers)).every(({ type }) => type === 'accepted')).toBe(true);
    await network.pass(3_000);
    const counts = packedBy(node).map(({ header }) => header.batchCount);
    expect(counts.reduce((sum, count) => sum + count)).toBe(80);
    expect(Math.max(...counts)).toBeLessThanOrEqual(CHUNK_BATCHES_MAX);
  });
});
