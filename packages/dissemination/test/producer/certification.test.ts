import type { Verifier } from '@slipstream/ports';
import {
  asId,
  type ChunkId,
  chunkAckMessage,
  decodeFrame,
  encodeFrame,
  FRAMES,
  GENESIS_EPOCH,
} from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import type { AttestedChunk } from '../../src/index.ts';
import {
  accountOf,
  block,
  createTestNetwork,
  FULL_NODE,
  fakeAggregate,
  fakeVerifier,
  GENESIS_HASH,
  idOf,
  memberSignature,
  peerKey,
  type TestNetwork,
  transaction,
} from '../harness/network.ts';
import { build, certify, check, idsOf, loseView, submit } from '../harness/steps.ts';

function framesOf(network: TestNetwork, index: number, name: string): number {
  const names = network.node(index).sent.map(({ frame }) => decodeFrame(frame));
  return names.filter((decoded) => decoded.ok && decoded.value.name === name).length;
}

describe('a chunk', () => {
  it('is packed ahead of leading, stored by all, certified, and its transactions are attested everywhere', async () => {
    const network = createTestNetwork();
    const transactions = [transaction(), transaction({ from: accountOf(0, 1) })];
    await submit(network, network.node(0), ...transactions);
    await certify(network);
    for (const node of [network.node(0), network.node(1), network.node(2), network.node(3), network.fullNode]) {
      expect(node.attested.map(({ producer, transactionIds }) => [producer, transactionIds])).toEqual([
        [0, transactions.map(idOf)],
      ]);
    }
    const payload = await build(network, network.node(2));
    expect(await idsOf(network.node(2), payload)).toEqual(transactions.map(idOf));
    expect(payload[0]?.certificate?.signers.length).toBeGreaterThanOrEqual(3);
    for (const index of [0, 1, 2, 3]) expect(network.node(index).offences).toEqual([]);
  });

  it('is certified in a committee of one', async () => {
    const network = createTestNetwork({ members: 1 });
    await submit(network, network.node(0), transaction());
    expect(await build(network, network.node(0))).toHaveLength(1);
    await certify(network);
    expect(network.node(0).attested).toHaveLength(1);
  });

  it('is not certified without a quorum, and is sent again to unresponsive validators until there is one', async () => {
    const network = createTestNetwork();
    network.cut(peerKey(0), peerKey(2));
    network.cut(peerKey(0), peerKey(3));
    await submit(network, network.node(0), transaction());
    await certify(network);
    expect(network.node(1).attested).toEqual([]);
    network.heal();
    await network.pass(3_000);
    expect(network.node(1).attested).toHaveLength(1);
    expect(network.node(3).attested).toHaveLength(1);
  });

  it('is certified after a rejected quorum check, also when no other validator is there to acknowledge it', async () => {
    const sound = fakeVerifier(() => {});
    let refused = 0;
    const verifier: Verifier = {
      ...sound,
      checkQuorum: (request) =>
        refused++ === 0 ? Promise.reject(new Error('queue-full')) : sound.checkQuorum(request),
    };
    const network = createTestNetwork({ overrides: { verifier } });
    network.cut(peerKey(0), peerKey(3));
    await submit(network, network.node(0), transaction());
    await certify(network);
    expect([refused, network.node(1).attested.length]).toEqual([1, 0]);
    await network.pass(3_000);
    expect(network.node(1).attested).toHaveLength(1);
  });

  it('is certified though one ack is bad, whose signer is reported', async () => {
    const network = createTestNetwork();
    network.cut(peerKey(0), peerKey(1));
    await submit(network, network.node(0), transaction());
    await network.pass(30);
    const chunkId = asId<ChunkId>(network.node(2).log[1]?.payload as Uint8Array);
    const bad = encodeFrame('chunkAck', { chunkId, signer: 1, signature: new Uint8Array(192) });
    network.node(0).dissemination.onChunkAck(peerKey(1), bad);
    await certify(network);
    expect(network.node(3).attested).toHaveLength(1);
    const forged = encodeFrame('chunkAck', {
      chunkId,
      signer: 3,
      signature: memberSignature(3, chunkAckMessage(GENESIS_HASH, GENESIS_EPOCH, chunkId)),
    });
    network.node(0).dissemination.onChunkAck(peerKey(1), forged);
    expect(network.node(0).offences.map(({ reason }) => reason)).toContain('wrong-signer');
  });

  it('is fetched by a validator that receives its certificate, though its producer is dead (D1)', async () => {
    const network = createTestNetwork();
    network.cut(peerKey(0), peerKey(3));
    await submit(network, network.node(0), transaction());
    await certify(network);
    for (const index of [1, 2, 3]) network.cut(peerKey(0), peerKey(index));
    const { chunkId } = network.node(1).attested[0] as AttestedChunk;
    const certificate = {
      epoch: GENESIS_EPOCH,
      signers: [0, 1, 2],
      aggregate: fakeAggregate(chunkAckMessage(GENESIS_HASH, GENESIS_EPOCH, chunkId)),
    };
    void network
      .node(3)
      .dissemination.onChunkCertified(
        peerKey(1),
        encodeFrame('chunkCertified', { chunkId, certificate, suspendedMs: 0 }),
      );
    await network.pass(1_000);
    expect(network.node(3).attested).toHaveLength(1);
    expect(await build(network, network.node(3))).toHaveLength(1);
  });

  it('with a false certificate blocks its sender, and is attested by the true one', async () => {
    const network = createTestNetwork();
    const node = network.node(1);
    network.cut(peerKey(0), peerKey(1));
    await submit(network, network.node(0), transaction());
    await certify(network);
    const { chunkId } = network.node(2).attested[0] as AttestedChunk;
    const frame = (signers: number[], aggregate: Uint8Array) =>
      encodeFrame('chunkCertified', {
        chunkId,
        certificate: { epoch: GENESIS_EPOCH, signers, aggregate },
        suspendedMs: 0,
      });
    void node.dissemination.onChunkCertified(peerKey(3), frame([0, 1, 2], new Uint8Array(96)));
    void node.dissemination.onChunkCertified(peerKey(0), frame([0, 1], new Uint8Array(96)));
    await network.pass();
    expect(node.offences.map(({ peer, reason }) => [peer, reason])).toEqual([
      [peerKey(0), 'invalid-certificate'],
      [peerKey(3), 'invalid-certificate'],
    ]);
    void node.dissemination.onChunkCertified(
      peerKey(2),
      frame([0, 2, 3], fakeAggregate(chunkAckMessage(GENESIS_HASH, GENESIS_EPOCH, chunkId))),
    );
    await network.pass(1_000);
    expect(node.attested).toHaveLength(1);
  });

  it('that a validator holds and its producer calls certified is verified only if no block has it in time', async () => {
    const attestedAt = async (index: number, isReferenced: boolean) => {
      const network = createTestNetwork({ limits: { certificateDeferMs: 600 } });
      const node = network.node(index);
      await submit(network, network.node(0), transaction());
      await certify(network);
      expect(node.attested).toHaveLength(index === 0 ? 1 : 0);
      const payload = await build(network, node);
      if (isReferenced) await check(network, node, block({ parentId: network.genesisId, payload }), 1);
      await network.pass(600);
      expect(network.fullNode.attested).toHaveLength(1);
      return node.attested.length;
    };
    expect(await attestedAt(1, false)).toBe(1);
    expect(await attestedAt(1, true)).toBe(0);
  });

  it('is verified at once while leaders must not use uncertified references', async () => {
    const network = createTestNetwork({ limits: { certificateDeferMs: 600 } });
    loseView(network, network.node(1));
    await submit(network, network.node(0), transaction());
    await certify(network);
    expect([1, 2].map((index) => network.node(index).attested.length)).toEqual([1, 0]);
  });

  it('has certificates of non-validators dropped undecoded: a thousand signers cost as much as a signature', async () => {
    const network = createTestNetwork();
    const node = network.node(0);
    await node.dissemination.onChunkCertified(FULL_NODE, new Uint8Array([FRAMES.chunkCertified.kind, 1, 2]));
    expect(node.offences).toEqual([]);
    expect(node.dissemination.stats().drops).toEqual({ 'certificate-not-from-validator': 1 });
    await node.dissemination.onChunkCertified(peerKey(1), new Uint8Array([FRAMES.chunkCertified.kind, 1, 2]));
    expect(node.offences).toMatchObject([{ peer: peerKey(1), reason: 'malformed-frame' }]);
  });

  it('costs no check from a peer that is no validator, and from a validator a bounded number in flight', async () => {
    const network = createTestNetwork();
    const node = network.node(1);
    const frameOf = (at: number) =>
      encodeFrame('chunkCertified', {
        chunkId: asId<ChunkId>(new Uint8Array(32).fill(at % 256).with(0, at >> 8)),
        certificate: { epoch: GENESIS_EPOCH, signers: [0, 1, 2], aggregate: new Uint8Array(96) },
        suspendedMs: 0,
      });
    const count = 300;
    for (let at = 0; at < count; at++) void node.dissemination.onChunkCertified(FULL_NODE, frameOf(at));
    for (let at = 0; at < count; at++) void node.dissemination.onChunkCertified(peerKey(3), frameOf(at));
    await network.pass();
    const { drops } = node.dissemination.stats();
    expect(drops).toMatchObject({ 'certificate-not-from-validator': count, 'certificate-quota': count - 256 });
    expect(node.offences).toHaveLength(256);
    expect(node.offences.every(({ peer }) => peer === peerKey(3))).toBe(true);
  });

  it('is acknowledged again when its producer resends it, with the same bytes', async () => {
    const network = createTestNetwork();
    await submit(network, network.node(0), transaction());
    await certify(network);
    const chunkFrame = network.node(0).sent.find(({ lane }) => lane === 'chunk')?.frame as Uint8Array;
    void network.node(1).dissemination.onChunk(peerKey(0), chunkFrame);
    await network.pass();
    expect(framesOf(network, 1, 'chunkAck')).toBe(2);
    expect(network.node(1).log.map(({ kind }) => kind)).toEqual(['chunk', 'own-chunk-ack']);
  });
});

describe('packing', () => {
  it('packs a transaction once in the network, whichever nodes clients sent it to', async () => {
    const network = createTestNetwork();
    const bytes = transaction({ from: accountOf(2) });
    for (const index of [0, 1, 2, 3]) void network.node(index).dissemination.submit(bytes);
    await network.pass(2_000);
    const headers = [0, 1, 2, 3].map(
      (index) => network.node(index).log.filter(({ kind }) => kind === 'own-chunk-header').length,
    );
    expect(headers).toEqual([0, 0, 1, 0]);
  });

  it('is done by another validator when the home does not pack in time', async () => {
    const network = createTestNetwork();
    network.cut(peerKey(0), peerKey(2)); // node 1 counts as connected, but its frames are lost
    network.cut(peerKey(1), peerKey(2));
    network.cut(peerKey(3), peerKey(2));
    await submit(network, network.node(1), transaction({ from: accountOf(2) }));
    await network.pass(6_000);
    expect(await build(network, network.node(3))).toHaveLength(1);
  });

  it('packs the transactions of an expired chunk again, and not before', async () => {
    const network = createTestNetwork();
    const bytes = transaction({ expiryMs: network.nowMs() + 60_000 });
    await submit(network, network.node(0), bytes);
    await network.pass(20_000);
    const made = () => network.node(0).log.filter(({ kind }) => kind === 'own-chunk-header').length;
    expect(made()).toBe(1);
    network.node(0).dissemination.expire(network.nowMs() + 11_000);
    await network.pass(500);
    expect(made()).toBe(2);
  });

  it('packs a full chunk at once, and never more than a quarter of a block’s units', async () => {
    const network = createTestNetwork({ limits: { chunkBytes: 1_000, chunkDelayMs: 10_000 } });
    await submit(network, network.node(0), ...Array.from({ length: 8 }, () => transaction({ dataBytes: 200 })));
    await network.pass(100);
    expect(network.node(1).dissemination.stats().chunks.pending).toBeGreaterThan(0);
  });

  it('waits while too many own chunks have no certificate', async () => {
    const network = createTestNetwork({ limits: { uncertifiedChunksMax: 2 } });
    for (const index of [1, 2, 3]) network.cut(peerKey(0), peerKey(index));
    for (let i = 0; i < 5; i++) {
      await submit(network, network.node(0), transaction());
      await network.pass(300);
    }
    expect(network.node(0).dissemination.stats()).toMatchObject({ producer: { uncertified: 2 }, ready: 3 });
  });

  it('occupies no slot for a chunk that was committed before it could leave', async () => {
    const network = createTestNetwork();
    const node = network.node(0);
    const open = node.holdSyncs();
    await submit(network, node, transaction());
    await network.pass(100);
    const made = block({ parentId: network.genesisId, payload: await build(network, node) });
    expect(made.block.payload).toHaveLength(1);
    node.dissemination.committed(made.id, made.block, { executedIds: [], skipped: [] });
    open();
    await network.pass(100);
    expect(node.dissemination.stats().producer).toMatchObject({ uncertified: 0 });
  });

  it('rejects clients with a time to retry while ready transactions wait too long', async () => {
    const network = createTestNetwork({ limits: { uncertifiedChunksMax: 1, retryAfterMs: 321 } });
    for (const index of [1, 2, 3]) network.cut(peerKey(0), peerKey(index));
    await submit(network, network.node(0), transaction());
    await network.pass(300);
    await submit(network, network.node(0), transaction());
    await network.pass(4_000);
    const refused = await network.node(0).dissemination.submit(transaction());
    expect(refused).toMatchObject({ type: 'rejected', reason: 'congested', retryAfterMs: 321 });
    network.heal();
    await network.pass(3_000);
    const accepted = network.node(0).dissemination.submit(transaction());
    await network.pass(2);
    expect(await accepted).toMatchObject({ type: 'accepted' });
  });
});
