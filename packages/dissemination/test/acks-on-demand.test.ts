/** D21, D22: which chunks are acknowledged, and when. The first own chunk of a while asks as a probe, so each test makes one before. */
import { fromHex } from '@slipstream/primitives';
import { chunkIdOf, encodeFrame, signedChunkCodec } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { ackedBy, afterProbe, attestedAt, headersOf, LATER_MS, lastAsks, makeChunk, PRODUCER } from './harness/acks.ts';
import { chunk, frameOf } from './harness/chunks.ts';
import {
  accountOf,
  block,
  createTestNetwork,
  FOREVER,
  FULL_NODE,
  idOf,
  peerKey,
  type TestNetwork,
  transaction,
} from './harness/network.ts';
import { build, check, submit } from './harness/steps.ts';

describe('a chunk that asks for no acks', () => {
  it('gets none, and the next leader references it', async () => {
    const network = await afterProbe();
    const id = await makeChunk(network);
    expect(lastAsks(network)).toBe(false);
    for (const index of [1, 2, 3]) expect(ackedBy(network.node(index))).toHaveLength(1);
    const payload = await build(network, network.node(2));
    const [reference] = payload.filter(({ chunkId }) =>
      network
        .node(2)
        .dissemination.idsOf(chunkId)
        .includes(id as never),
    );
    expect(reference?.certificate).toBeUndefined();
    expect(await check(network, network.node(3), block({ parentId: network.genesisId, payload }), 1)).toBe('valid');
    // The vote that follows is synced after both chunks (I6).
    expect(network.node(3).log.filter(({ kind }) => kind === 'chunk')).toHaveLength(2);
  });

  it('that a block references is never acknowledged nor sent again while the block may become final', async () => {
    const network = await afterProbe();
    await makeChunk(network);
    const sent = () => network.node(PRODUCER).sent.filter(({ lane }) => lane === 'chunk').length;
    const before = sent();
    const payload = await build(network, network.node(1));
    const made = block({ parentId: network.genesisId, payload });
    for (const index of [0, 1, 2, 3]) await check(network, network.node(index), made, 1);
    await network.pass(4_000);
    for (const index of [1, 2, 3]) expect(ackedBy(network.node(index))).toHaveLength(1);
    expect(sent()).toBe(before);
    expect(network.node(1).dissemination.stats().chunks.pending).toBe(2);
  });

  it('is acknowledged and certified when no block references it in time, so that leaders cannot keep it out by its lack', async () => {
    const network = await afterProbe();
    const id = await makeChunk(network);
    await network.pass(300);
    expect(network.node(3).dissemination.status(id)).toMatchObject({ status: 'pending' });
    await network.pass(200);
    for (const index of [1, 2, 3]) expect(ackedBy(network.node(index))).toHaveLength(2);
    expect(network.node(3).dissemination.status(id)).toMatchObject({ status: 'attested' });
    const payload = await build(network, network.node(3));
    expect(payload.map(({ certificate }) => certificate !== undefined)).toEqual([true, true]);
  });

  it('is acknowledged once its block has lost to another', async () => {
    const network = await afterProbe();
    const id = await makeChunk(network);
    const lost = block({ parentId: network.genesisId, payload: await build(network, network.node(1)) });
    const final = block({ parentId: network.genesisId, payload: [], height: 1 });
    for (const index of [0, 1, 2, 3]) {
      const { dissemination } = network.node(index);
      dissemination.trackBlock(lost.id, lost.block);
    }
    await network.pass(1_000);
    expect(ackedBy(network.node(2))).toHaveLength(1);
    for (const index of [0, 1, 2, 3]) {
      network.node(index).dissemination.committed(final.id, final.block, { executedIds: [], skipped: [] });
    }
    await network.pass(1_000);
    expect(ackedBy(network.node(2))).toHaveLength(2);
    expect(network.node(2).dissemination.status(id)).toMatchObject({ status: 'attested' });
  });

  it('is not sent again on a slow chain before its acks can be here', async () => {
    const network = await afterProbe();
    for (const passMs of [1_600, 1_600, 1_050]) {
      const payload = await build(network, network.node(PRODUCER));
      const executedIds = payload.flatMap(({ chunkId }) => network.node(PRODUCER).dissemination.idsOf(chunkId));
      const made = block({ parentId: network.genesisId, payload });
      for (const index of [0, 1, 2, 3]) {
        network.node(index).dissemination.committed(made.id, made.block, { executedIds, skipped: [] });
      }
      await network.pass(passMs);
      if (passMs > 1_500) await makeChunk(network);
    }
    await makeChunk(network);
    expect(lastAsks(network)).toBe(false);
    const sent = () => network.node(PRODUCER).sent.filter(({ lane }) => lane === 'chunk').length;
    const before = sent();
    const acked = ackedBy(network.node(3)).length;
    await network.pass(900);
    expect(ackedBy(network.node(3))).toHaveLength(acked);
    await network.pass(200);
    expect(ackedBy(network.node(3))).toHaveLength(acked + 1);
    expect(sent()).toBe(before);
  });

  it('is acknowledged when its producer sends it again', async () => {
    const network = await afterProbe({ ackDelayMs: 60_000 });
    const id = await makeChunk(network);
    await network.pass(900);
    expect(attestedAt(network.node(3), id)).toBe(false);
    await network.pass(1_100);
    expect(attestedAt(network.node(3), id)).toBe(true);
  });

  it('is acknowledged when its producer sends it again, also one that was fetched before it came', async () => {
    const sent = chunk([transaction()], { acksWanted: false });
    const bytes = signedChunkCodec.encode(sent);
    const { node, pass, genesisId } = createTestNetwork({
      fetchChunk: async () => ({ from: peerKey(2), bytes }),
      limits: { ackDelayMs: 60_000 },
    });
    const payload = [{ chunkId: chunkIdOf(sent.header), certificate: undefined }];
    const { id, block: made } = block({ parentId: genesisId, payload });
    void node(0).dissemination.checkPayload(id, made, FOREVER);
    await pass(1_000);
    void node(0).dissemination.onChunk(peerKey(1), frameOf(sent));
    await pass();
    expect(ackedBy(node(0))).toEqual([]);
    void node(0).dissemination.onChunk(peerKey(1), frameOf(sent));
    await pass();
    expect(ackedBy(node(0))).toEqual([chunkIdOf(sent.header)]);
  });

  it('is certified after its epoch’s end, so that blocks of the next one may reference it (D20)', async () => {
    const both = [0, 1, 2, 3];
    const network = createTestNetwork({ acks: 'on-demand', committees: [both, both], limits: { ackDelayMs: 60_000 } });
    await submit(network, network.node(PRODUCER), transaction());
    await network.pass(LATER_MS);
    const id = await makeChunk(network);
    expect(lastAsks(network)).toBe(false);
    for (const index of both) network.node(index).seal();
    for (const index of both) network.node(index).move();
    await network.pass(100);
    expect(attestedAt(network.node(3), id)).toBe(true);
  });
});

describe('a producer', () => {
  it('asks again after a while without, and when a chunk was left out', async () => {
    const network = await afterProbe();
    await makeChunk(network);
    await network.pass(LATER_MS + 200);
    await makeChunk(network);
    expect(headersOf(network).map(({ acksWanted }) => acksWanted)).toEqual([true, false, true]);
    const calm = await afterProbe();
    await calm.pass(5_000);
    await makeChunk(calm);
    expect(lastAsks(calm)).toBe(true);
  });

  it('asks once the next epoch is sealed', async () => {
    const both = [0, 1, 2, 3];
    const network = createTestNetwork({ acks: 'on-demand', committees: [both, both] });
    await submit(network, network.node(PRODUCER), transaction());
    await network.pass(LATER_MS);
    network.node(PRODUCER).seal();
    await makeChunk(network);
    expect(lastAsks(network)).toBe(true);
  });

  it('makes further chunks while blocks reference those without a certificate, and stops at two that none references', async () => {
    const network = await afterProbe({ ackDelayMs: 60_000 });
    for (const index of [1, 2, 3]) network.lose(peerKey(index), peerKey(PRODUCER));
    for (let i = 0; i < 3; i++) {
      await makeChunk(network);
      const made = block({ parentId: network.genesisId, payload: await build(network, network.node(PRODUCER)) });
      network.node(PRODUCER).dissemination.trackBlock(made.id, made.block);
      await network.pass(LATER_MS);
    }
    for (let i = 0; i < 2; i++) {
      await makeChunk(network);
      await network.pass(LATER_MS);
    }
    await submit(network, network.node(PRODUCER), transaction());
    await network.pass(LATER_MS);
    expect(headersOf(network)).toHaveLength(6);
    const made = block({ parentId: network.genesisId, payload: await build(network, network.node(PRODUCER)) });
    network.node(PRODUCER).dissemination.trackBlock(made.id, made.block);
    await network.pass(30);
    expect(headersOf(network)).toHaveLength(7);
  });

  it('alone in its committee certifies a chunk only when it must', async () => {
    const network = createTestNetwork({ members: 1, acks: 'on-demand' });
    const node = network.node(PRODUCER);
    await submit(network, node, transaction());
    await network.pass(LATER_MS);
    await makeChunk(network);
    expect(node.attested).toHaveLength(1);
    expect(await build(network, node)).toHaveLength(2);
    await network.pass(500);
    expect(node.attested).toHaveLength(2);
  });

  it('that always asks costs each validator one ack a chunk, also when it sends the chunk again', async () => {
    const { node } = createTestNetwork();
    for (const sequence of [1, 2, 3]) {
      const frame = frameOf(chunk([transaction({ from: sequence })], { sequence }));
      for (let i = 0; i < 3; i++) await node(2).dissemination.onChunk(peerKey(1), frame);
    }
    expect(ackedBy(node(2))).toHaveLength(3);
  });

  it('that asks some receivers only makes two chunks of one sequence: evidence (D8)', async () => {
    const { node, pass } = createTestNetwork();
    const transactions = [transaction()];
    for (const acksWanted of [true, false]) {
      void node(2).dissemination.onChunk(peerKey(1), frameOf(chunk(transactions, { acksWanted })));
      await pass();
    }
    expect(node(2).evidence.map(({ offender }) => offender)).toEqual([1]);
  });
});

describe('a client that waits for attested', () => {
  const account = accountOf(PRODUCER);
  const NODES = {
    'the home validator': (network: TestNetwork) => network.node(PRODUCER),
    'another validator': (network: TestNetwork) => network.node(1),
    'a full node': (network: TestNetwork) => network.fullNode,
  };

  it.each(Object.entries(NODES))('of %s, as it submits, has the chunk ask for acks', async (_, nodeIn) => {
    const network = await afterProbe();
    const node = nodeIn(network);
    const bytes = transaction({ from: account });
    await submit(network, node, bytes);
    node.dissemination.awaitAttestation(idOf(bytes), true);
    await network.pass(150);
    expect(lastAsks(network)).toBe(true);
    expect(attestedAt(node, idOf(bytes))).toBe(true);
  });

  it.each(Object.entries(NODES))('of %s, that waits before the chunk is made, too', async (_, nodeIn) => {
    const network = await afterProbe();
    const node = nodeIn(network);
    await makeChunk(network);
    const bytes = transaction({ from: account });
    await submit(network, node, bytes);
    await network.pass(20);
    node.dissemination.awaitAttestation(idOf(bytes), true);
    await network.pass(300);
    expect(headersOf(network).map(({ acksWanted }) => acksWanted)).toEqual([true, false, true]);
    expect(attestedAt(node, idOf(bytes))).toBe(true);
  });

  it('of a full node without a connection to the home has the wish make both hops', async () => {
    const network = await afterProbe();
    network.cut(FULL_NODE, peerKey(PRODUCER));
    await makeChunk(network);
    const bytes = transaction({ from: account });
    await submit(network, network.fullNode, bytes);
    await network.pass(20);
    network.fullNode.dissemination.awaitAttestation(idOf(bytes), true);
    await network.pass(300);
    expect(headersOf(network).map(({ acksWanted }) => acksWanted)).toEqual([true, false, true]);
  });

  it('of a transaction that a chunk without acks holds receives it with the ack that is due, or with the block', async () => {
    const network = await afterProbe();
    const id = await makeChunk(network);
    network.fullNode.dissemination.awaitAttestation(id, true);
    await network.pass(500);
    expect(attestedAt(network.fullNode, id)).toBe(true);
  });

  it('differs from one that looks, which asks for nothing', async () => {
    const network = await afterProbe();
    const bytes = transaction({ from: account });
    await submit(network, network.node(1), bytes);
    network.node(1).dissemination.awaitAttestation(idOf(bytes), false);
    await network.pass(150);
    expect(lastAsks(network)).toBe(false);
  });
});

describe('wishes of a peer', () => {
  const wish = (fill: number) => new Uint8Array(32).fill(fill) as never;

  it('for unknown transactions are paid from its work budget', async () => {
    const { node } = createTestNetwork();
    const awaited = Array.from({ length: 256 }, (_, i) => wish(i));
    for (let i = 0; i < 3; i++) {
      await node(0).dissemination.onTransactions(FULL_NODE, encodeFrame('transactions', { transactions: [], awaited }));
    }
    expect(node(0).dissemination.stats().drops).toMatchObject({ 'peer-limit': 1 });
  });

  it('that it repeats are paid too, also those for known transactions', async () => {
    const network = createTestNetwork({ limits: { chunkDelayMs: 60_000 } });
    const node = network.node(0);
    const bytes = transaction();
    await submit(network, node, bytes);
    const awaited = Array.from({ length: 256 }, () => fromHex(idOf(bytes)) as never);
    for (let i = 0; i < 4; i++) {
      await node.dissemination.onTransactions(FULL_NODE, encodeFrame('transactions', { transactions: [], awaited }));
    }
    expect(node.dissemination.stats().drops).toMatchObject({ 'peer-limit': 1 });
  });

  it('beyond those of one frame are malformed', async () => {
    const { node } = createTestNetwork();
    const most = encodeFrame('transactions', { transactions: [], awaited: Array.from({ length: 256 }, () => wish(1)) });
    const more = new Uint8Array(most.length + 32);
    more.set(most);
    await node(0).dissemination.onTransactions(FULL_NODE, more);
    expect(node(0).offences).toMatchObject([{ reason: 'malformed-frame' }]);
  });
});
