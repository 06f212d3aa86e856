import {
  asId,
  type ChunkId,
  type ChunkReference,
  chunkAckMessage,
  chunkIdOf,
  encodeFrame,
  GENESIS_EPOCH,
  hexOf,
  type SignedChunk,
  signedChunkCodec,
} from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import type { FetchChunk } from '../../src/index.ts';
import { chunk } from '../harness/chunks.ts';
import {
  accountOf,
  block,
  createTestNetwork,
  FOREVER,
  fakeAggregate,
  GENESIS_HASH,
  idOf,
  LIMITS,
  peerKey,
  transaction,
} from '../harness/network.ts';
import { build, certify, check, NOW_MS, submit } from '../harness/steps.ts';

function uncertified(payload: readonly ChunkReference[]): readonly ChunkReference[] {
  return payload.map(({ chunkId }) => ({ chunkId, certificate: undefined }));
}

describe('checking a payload', () => {
  async function proposed(options: Parameters<typeof createTestNetwork>[0] = {}) {
    const network = createTestNetwork(options);
    await submit(network, network.node(0), transaction());
    await certify(network);
    const payload = await build(network, network.node(0));
    return { network, payload, made: block({ parentId: network.genesisId, payload }) };
  }

  it('finds it valid on every node once the chunk arrives', async () => {
    const { network, made } = await proposed();
    for (const index of [1, 2, 3]) expect(await check(network, network.node(index), made, 20)).toBe('valid');
    expect(await check(network, network.fullNode, made, 20)).toBe('valid');
    expect(network.node(1).log.map(({ kind }) => kind)).toEqual(['chunk', 'own-chunk-ack']);
  });

  it('fetches a missing chunk from the proposer, or from others when it is unresponsive', async () => {
    const network = createTestNetwork();
    network.cut(peerKey(0), peerKey(3));
    await submit(network, network.node(0), transaction());
    await certify(network);
    const made = block({ parentId: network.genesisId, payload: await build(network, network.node(0)) });
    expect(await check(network, network.node(3), made, 5_000)).toBe('valid');
    expect(network.node(3).dissemination.stats().missingChunks).toBe(0);
  });

  it('waits for a chunk that no peer has, retries, and never calls the block invalid', async () => {
    let asked = 0;
    const { network, made } = await proposed();
    const lonely = createTestNetwork({
      fetchChunk: async () => {
        asked += 1;
        return undefined;
      },
    });
    expect(await check(lonely, lonely.node(1), made, 20_000)).toBe('waiting');
    expect(asked).toBeGreaterThan(5);
    expect(asked).toBeLessThan(30);
    lonely.node(1).dissemination.stop();
    await lonely.pass();
    expect(network.node(0).dissemination.stats().chunks.pending).toBe(1);
  });

  it('fetches above the maximum of concurrent requests in turn: however many are missing, none is rejected', async () => {
    const network = createTestNetwork({ limits: { chunkFetchesMax: 2 } });
    network.cut(peerKey(0), peerKey(3));
    for (let i = 0; i < 5; i++) {
      await submit(network, network.node(0), transaction());
      await certify(network);
      await network.pass(1_000);
    }
    const payload = await build(network, network.node(0));
    expect(payload.length).toBe(5);
    expect(await check(network, network.node(3), block({ parentId: network.genesisId, payload }), 5_000)).toBe('valid');
  });

  it('bounds concurrent requests, and requests others when a pending one is no longer needed', async () => {
    const asked: number[] = [];
    const never: FetchChunk = (chunkId, _hint, signal) => {
      asked.push(chunkId[0] as number);
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    };
    const network = createTestNetwork({ limits: { chunkFetchesMax: 2 }, fetchChunk: never });
    const aborts = [1, 2, 3, 4].map((at) => {
      const chunkId = asId<ChunkId>(new Uint8Array(32).fill(at));
      const made = block({ parentId: network.genesisId, payload: [{ chunkId, certificate: undefined }] });
      const abort = new AbortController();
      network
        .node(1)
        .dissemination.checkPayload(made.id, made.block, abort.signal)
        .catch(() => {});
      return abort;
    });
    await network.pass(1_000);
    expect(asked).toEqual([1, 2]);
    aborts[0]?.abort();
    aborts[2]?.abort();
    await network.pass(1_000);
    expect(asked).toEqual([1, 2, 4]);
  });

  it('ends its wait when the block is no longer needed', async () => {
    const { network, payload } = await proposed();
    const made = block({ parentId: network.genesisId, payload: uncertified(payload) });
    const lonely = createTestNetwork({ fetchChunk: async () => undefined });
    const abort = new AbortController();
    const verdict = lonely.node(1).dissemination.checkPayload(made.id, made.block, abort.signal);
    await lonely.pass(100);
    abort.abort(new Error('dropped'));
    await expect(verdict).rejects.toThrow('dropped');
    expect(lonely.node(1).dissemination.stats().missingChunks).toBe(0);
  });

  it('blames a peer that serves another chunk, and queries further peers', async () => {
    const { network, payload } = await proposed();
    const bytes = (await network.node(0).dissemination.chunkById((payload[0] as ChunkReference).chunkId)) as Uint8Array;
    const other = block({
      parentId: network.genesisId,
      payload: [{ chunkId: asId<ChunkId>(new Uint8Array(32).fill(3)), certificate: undefined }],
    });
    const liar = createTestNetwork({ fetchChunk: async () => ({ from: peerKey(2), bytes }) });
    expect(await check(liar, liar.node(1), other, 100)).toBe('waiting');
    expect(liar.node(1).offences[0]).toMatchObject({ peer: peerKey(2), reason: 'bad-sync' });
  });

  it('rejects a payload root of another payload, and a duplicate chunk', async () => {
    const { network, payload, made } = await proposed();
    const wrongRoot = { id: made.id, block: { ...made.block, payloadRoot: new Uint8Array(32) } };
    expect(await check(network, network.node(1), wrongRoot)).toContain('payload root');
    const twice = block({ parentId: network.genesisId, payload: [...payload, ...payload] });
    expect(await check(network, network.node(1), twice)).toContain('twice');
  });

  it('rejects a chunk that an ancestor references (D2), committed or not, and allows it on another branch', async () => {
    const { network, payload, made } = await proposed();
    const node = network.node(1);
    expect(await check(network, node, made, 20)).toBe('valid');
    const child = block({ parentId: made.id, payload, timestampMs: NOW_MS + 1, height: 2 });
    expect(await check(network, node, child)).toContain('an ancestor references');
    const rival = block({ parentId: network.genesisId, payload, timestampMs: NOW_MS + 2 });
    expect(await check(network, node, rival)).toBe('valid');
    node.dissemination.committed(made.id, made.block, { executedIds: [], skipped: [] });
    expect(await check(network, node, child)).toContain('an ancestor references');
  });

  it('waits for an unknown ancestor, and decides when it is noted', async () => {
    const { network, payload, made } = await proposed();
    const node = network.node(1);
    const middle = block({ parentId: made.id, payload: [], timestampMs: NOW_MS + 1, height: 2 });
    const child = block({ parentId: middle.id, payload, timestampMs: NOW_MS + 2, height: 3 });
    expect(await check(network, node, child)).toBe('waiting');
    let late = '';
    node.dissemination.checkPayload(child.id, child.block, FOREVER).then((verdict) => {
      late = verdict.type;
    });
    node.dissemination.trackBlock(middle.id, middle.block);
    node.dissemination.trackBlock(made.id, made.block);
    await network.pass();
    expect(late).toBe('invalid');
  });

  it('rejects a chunk that has expired by the block’s time, or outlives its window', async () => {
    const { network, payload } = await proposed();
    const node = network.node(1);
    await network.pass(20);
    const late = block({ parentId: network.genesisId, payload, timestampMs: NOW_MS + 30_000 });
    expect(await check(network, node, late)).toContain('expired');
    const early = block({ parentId: network.genesisId, payload, timestampMs: NOW_MS - 30_200 });
    expect(await check(network, node, early)).toContain('expires only at');
  });

  it('rejects a block whose chunks exceed the units of a block', async () => {
    const rules = { unitsOf: () => [1, (LIMITS[1] as number) / 2 + 1, 0, 0, 0], feeOf: () => 0n };
    const network = createTestNetwork({ overrides: { rules } });
    for (const index of [0, 1]) await submit(network, network.node(index), transaction({ from: accountOf(index) }));
    await certify(network);
    const payloads = network.node(2).attested.map(({ chunkId }) => ({ chunkId, certificate: undefined }));
    expect(payloads).toHaveLength(2);
    const made = block({ parentId: network.genesisId, payload: payloads });
    expect(await check(network, network.node(2), made)).toContain('compute');
  });

  it('rejects it as soon as that shows, requests no further chunk and retains none', async () => {
    const rules = { unitsOf: () => [1, (LIMITS[1] as number) / 2 + 1, 0, 0, 0], feeOf: () => 0n };
    const chunks = [1, 2, 3, 4].map((sequence) => chunk([transaction()], { sequence, units: rules.unitsOf() }));
    let served = 0;
    const network = createTestNetwork({
      overrides: { rules },
      async fetchChunk(chunkId) {
        const found = chunks.find(({ header }) => hexOf(chunkIdOf(header)) === hexOf(chunkId)) as SignedChunk;
        const turns = 100 * served++;
        for (let turn = 0; turn < turns; turn++) await Promise.resolve(); // staggers arrivals
        return { from: peerKey(1), bytes: signedChunkCodec.encode(found) };
      },
    });
    const { dissemination } = network.node(2);
    const payload = chunks.map(({ header }) => ({ chunkId: chunkIdOf(header), certificate: undefined }));
    const made = block({ parentId: network.genesisId, payload });
    let executed = false;
    const toExecute = dissemination.payloadOf(made.id, made.block, FOREVER);
    toExecute.then(() => {
      executed = true;
    });
    expect(await check(network, network.node(2), made)).toContain('compute');
    expect(dissemination.stats()).toMatchObject({ missingChunks: 0, chunks: { stored: 2 } });
    expect(executed).toBe(false);
  });

  it('holds a chunk certificate to a quorum and to its signature', async () => {
    const { network, payload } = await proposed();
    const { chunkId } = payload[0] as ChunkReference;
    const certified = (signers: readonly number[], aggregate: Uint8Array) =>
      block({
        parentId: network.genesisId,
        payload: [{ chunkId, certificate: { epoch: GENESIS_EPOCH, signers, aggregate } }],
      });
    const good = fakeAggregate(chunkAckMessage(GENESIS_HASH, GENESIS_EPOCH, chunkId));
    const node = network.node(1);
    expect(await check(network, node, certified([0, 1, 2], good))).toBe('valid');
    expect(await check(network, node, certified([0, 1], good))).toContain('quorum');
    expect(await check(network, node, certified([0, 1, 9], good))).toContain('quorum');
    const unsigned = certified([0, 1, 2], new Uint8Array(96));
    expect(await check(network, node, unsigned)).toContain('does not hold');
    const verdict = await node.dissemination.checkPayload(unsigned.id, unsigned.block, FOREVER);
    expect(verdict).toMatchObject({ type: 'invalid', offence: 'invalid-certificate' });
  });

  it('finds a block valid whose chunk packs a bad signature (D3), and informs execution', async () => {
    const network = createTestNetwork();
    const twin = createTestNetwork({ overrides: { verifier: { ...acceptAll } } });
    const bad = transaction({ badSignature: true });
    await submit(twin, twin.node(0), bad);
    await certify(twin);
    const payload = await build(twin, twin.node(0));
    const bytes = (await twin.node(0).dissemination.chunkById((payload[0] as ChunkReference).chunkId)) as Uint8Array;
    const frame = encodeFrame('chunk', { compressed: false, bytes });
    void network.node(1).dissemination.onChunk(peerKey(0), frame);
    await network.pass();
    const made = block({ parentId: network.genesisId, payload: uncertified(payload) });
    expect(await check(network, network.node(1), made)).toBe('valid');
    const chunks = await network.node(1).dissemination.payloadOf(made.id, made.block, FOREVER);
    expect(chunks).toMatchObject([{ producer: 0, ids: [idOf(bad)], verdicts: ['bad-signature'] }]);
  });
});

const acceptAll = {
  checkQuorum: async () => ({ aggregate: new Uint8Array(96), offenders: [], verified: [], checks: 1, tookMs: 0 }),
  checkVote: async () => true,
  checkCertificate: async () => true,
  checkAggregate: async () => true,
  checkBatch: async (batch: readonly unknown[]) => batch.map(() => true),
  checkAccounts: async (batch: readonly unknown[]) => batch.map(() => true),
};
