import { sha256 } from '@slipstream/primitives';
import { asId, type ChunkId, idFromHex, type TransactionId } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { block, createTestNetwork, idOf, transaction } from '../harness/network.ts';
import { START_MS } from '../harness/start-time.ts';
import { build, certify, check, idsOf, NOW_MS, submit } from '../harness/steps.ts';

describe('a committed block', () => {
  it('removes its transactions from the pool, and a late copy is known', async () => {
    const network = createTestNetwork();
    const node = network.node(0);
    const bytes = transaction();
    await submit(network, node, bytes);
    await certify(network);
    const made = block({ parentId: network.genesisId, payload: await build(network, node) });
    node.dissemination.committed(made.id, made.block, { executedIds: [idOf(bytes)], skipped: [] });
    expect(node.dissemination.hasPending()).toBe(false);
    expect(node.pending).toEqual([true, false]);
    expect(node.dissemination.status(idOf(bytes))).toEqual({ status: 'included' });
    expect(await node.dissemination.submit(bytes)).toMatchObject({ type: 'known', where: 'chain' });
    expect(node.dissemination.stats().chunks).toMatchObject({ pending: 0, retained: 1 });
    expect(await idsOf(node, made.block.payload)).toEqual([idOf(bytes)]);
  });

  it('remembers its executed transactions for 60 s of block time', async () => {
    const network = createTestNetwork();
    const node = network.node(0);
    const id = 'ab'.repeat(32);
    const first = block({ parentId: network.genesisId, payload: [] });
    node.dissemination.committed(first.id, first.block, { executedIds: [id], skipped: [] });
    const second = block({ parentId: first.id, payload: [], timestampMs: NOW_MS + 59_999, height: 2 });
    node.dissemination.committed(second.id, second.block, { executedIds: [], skipped: [] });
    expect(node.dissemination.status(id)).toEqual({ status: 'included' });
    const third = block({ parentId: second.id, payload: [], timestampMs: NOW_MS + 60_000, height: 3 });
    node.dissemination.committed(third.id, third.block, { executedIds: [], skipped: [] });
    expect(node.dissemination.status(id)).toEqual({ status: 'unknown' });
  });

  it('drops transactions that execution would skip again, and keeps the good copy of a bad signature', async () => {
    const network = createTestNetwork();
    const node = network.node(0);
    const [poor, good, twice] = [transaction(), transaction(), transaction()];
    await submit(network, node, poor, good, twice);
    const made = block({ parentId: network.genesisId, payload: [] });
    const skipped = [
      { id: idFromHex<TransactionId>(idOf(poor)), reason: 'fee-not-covered' },
      { id: idFromHex<TransactionId>(idOf(good)), reason: 'bad-signature' },
      { id: idFromHex<TransactionId>(idOf(twice)), reason: 'duplicate' },
    ] as const;
    node.dissemination.committed(made.id, made.block, { executedIds: [], skipped });
    const expiryMs = START_MS + 30_000;
    expect(node.dissemination.status(idOf(poor))).toEqual({ status: 'dropped', reason: 'fee-not-covered', expiryMs });
    expect(node.dissemination.status(idOf(good)).status).toBe('pending');
    expect(node.dissemination.stats().pool.transactions).toBe(1);
  });

  it('expires by its timestamp, not by the clock', async () => {
    const network = createTestNetwork();
    const node = network.node(0);
    const bytes = transaction({ expiryMs: START_MS + 1_000 });
    await submit(network, node, bytes);
    await network.pass(10_000);
    expect(node.dissemination.status(idOf(bytes)).status).toBe('attested');
    const made = block({ parentId: network.genesisId, payload: [], timestampMs: START_MS + 1_000 });
    node.dissemination.committed(made.id, made.block, { executedIds: [], skipped: [] });
    expect(node.dissemination.status(idOf(bytes))).toMatchObject({ status: 'dropped', reason: 'expired' });
  });

  it('forgets rivals at any claimed height and blocks older than the window, and remembers the rest', async () => {
    const network = createTestNetwork();
    const node = network.node(0);
    let parentId = network.genesisId;
    for (let height = 1; height <= 100; height++) {
      const timestampMs = NOW_MS + height * 1_000;
      const claimed = height % 2 === 0 ? height : 2 ** 50;
      const rival = block({ parentId, payload: [], timestampMs: timestampMs + 1, height: claimed });
      const made = block({ parentId, payload: [], timestampMs, height });
      node.dissemination.trackBlock(rival.id, rival.block);
      node.dissemination.committed(made.id, made.block, { executedIds: [], skipped: [] });
      parentId = made.id;
    }
    expect(node.dissemination.stats().trackedBlocks).toBe(60);
    const chunkId = asId<ChunkId>(sha256(new Uint8Array([1])));
    const next = block({
      parentId,
      payload: [{ chunkId, certificate: undefined }],
      timestampMs: NOW_MS + 100_500,
      height: 101,
    });
    expect(await check(network, node, next, 100)).toBe('waiting');
    expect(node.dissemination.stats().missingChunks).toBe(1);
  });

  it('retains a chunk that a block references beyond its expiry, until a rival is committed', async () => {
    const network = createTestNetwork();
    const node = network.node(0);
    await submit(network, node, transaction());
    await certify(network);
    const made = block({ parentId: network.genesisId, payload: await build(network, node) });
    node.dissemination.trackBlock(made.id, made.block);
    node.dissemination.expire(NOW_MS + 40_000);
    expect(node.dissemination.stats().chunks.pending).toBe(1);
    const rival = block({ parentId: network.genesisId, payload: [], timestampMs: NOW_MS + 40_000 });
    node.dissemination.committed(rival.id, rival.block, { executedIds: [], skipped: [] });
    expect(node.dissemination.stats().chunks.pending).toBe(0);
  });
});
