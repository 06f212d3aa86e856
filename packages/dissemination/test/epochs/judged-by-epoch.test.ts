/** What is judged by the record of its own epoch (D14, D18, D19). */
import { silentTelemetry } from '@slipstream/ports';
import {
  type ChunkHeader,
  chunkAckMessage,
  chunkIdOf,
  type Epoch,
  encodeFrame,
  epoch,
  GENESIS_EPOCH,
  hexOf,
  type SignedChunk,
  signedChunkCodec,
} from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { LATE_CHUNKS_MS } from '../../src/limits.ts';
import { chunk, frameOf } from '../harness/chunks.ts';
import {
  accountOf,
  block,
  fakeAggregate,
  GENESIS_HASH,
  memberSignature,
  type Node,
  peerKey,
  type TestNetwork,
  transaction,
} from '../harness/network.ts';
import { START_MS } from '../harness/start-time.ts';
import { build, certify, check, submit } from '../harness/steps.ts';
import { acksBy, headersBy, moveAll, NEXT_EPOCH, sealAll, twoEpochs } from '../harness/two-epochs.ts';

/** Of node 1 in epoch 0, of node 2 in epoch 1. */
const INDEX = 1;

async function receive(network: TestNetwork, node: Node, sent: SignedChunk, from: number): Promise<void> {
  void node.dissemination.onChunk(peerKey(from), frameOf(sent));
  await network.pass();
}

const made = (of: Epoch, change: Partial<ChunkHeader> = {}) =>
  chunk([transaction()], { epoch: of, producer: INDEX, ...change });

/** A node in the first epoch, with a chunk of the sealed one. */
async function withEarlyChunk() {
  const network = twoEpochs();
  const node = network.node(3);
  node.seal();
  const early = made(NEXT_EPOCH);
  await receive(network, node, early, 2);
  return { network, node, early };
}

describe('a chunk', () => {
  it('and another one of the same index and sequence, but of the next epoch, are no evidence against a member', async () => {
    const network = twoEpochs();
    const node = network.node(3);
    await receive(network, node, made(GENESIS_EPOCH), 1);
    node.seal();
    node.move();
    await receive(network, node, made(NEXT_EPOCH), 2);
    expect(node.dissemination.stats().chunks.pending).toBe(2);
    expect(node.evidence).toEqual([]);
    expect(node.offences).toEqual([]);
  });

  it('of the sequence of another one in the same epoch is evidence against that epoch’s member', async () => {
    const network = twoEpochs();
    const node = network.node(3);
    node.seal();
    node.move();
    await receive(network, node, made(NEXT_EPOCH), 2);
    await receive(network, node, made(NEXT_EPOCH), 2);
    expect(node.evidence.map(({ offender, peer }) => [offender, peer])).toEqual([[INDEX, peerKey(2)]]);
  });

  it('of an epoch without a record is ignored, and its sender is not blamed', async () => {
    const network = twoEpochs();
    const node = network.node(3);
    await receive(network, node, made(NEXT_EPOCH), 2);
    await receive(network, node, made(epoch(9)), 1);
    expect(node.offences).toEqual([]);
    expect(node.dissemination.stats().drops).toEqual({ 'chunk-foreign-epoch': 2 });
  });

  it('of the sealed epoch is stored, and acknowledged at the move as a member of its epoch', async () => {
    const { network, node, early } = await withEarlyChunk();
    await network.pass(500);
    expect(node.dissemination.stats().chunks.pending).toBe(1);
    expect(acksBy(node)).toEqual([]);
    node.move();
    await network.pass();
    expect(acksBy(node)).toEqual([[hexOf(chunkIdOf(early.header)), 2]]);
  });

  it('of the sealed epoch counts as acknowledged at members of that epoch only', async () => {
    let counted = 0;
    const count = (name: string) => void (name === 'dissemination_storage_acks_total' && counted++);
    const network = twoEpochs({ overrides: { telemetry: { ...silentTelemetry, count } } });
    for (const node of [network.node(0), network.fullNode, network.node(3)]) {
      node.seal();
      await receive(network, node, made(NEXT_EPOCH), 2);
      node.move();
      await network.pass();
      expect(counted).toBe(acksBy(node).length);
    }
    expect(counted).toBe(1);
  });

  it('of the sealed epoch is in no block of the epoch that runs', async () => {
    const { network, node, early } = await withEarlyChunk();
    await network.pass(2_000);
    expect(await build(network, node)).toEqual([]);
    const payload = [{ chunkId: chunkIdOf(early.header), certificate: undefined }];
    expect(await check(network, node, block({ parentId: network.genesisId, payload }))).toContain('later epoch');
  });

  it('of a closed epoch that was here before is acknowledged again as a member of that epoch', async () => {
    const network = twoEpochs();
    const node = network.node(3);
    const old = made(GENESIS_EPOCH);
    await receive(network, node, old, 1);
    node.seal();
    node.move();
    await receive(network, node, old, 1);
    const id = hexOf(chunkIdOf(old.header));
    expect(acksBy(node)).toEqual([
      [id, 3],
      [id, 3],
    ]);
  });

  it('of an epoch that ended here just now is stored, acknowledged as a member of it, and referenced without a certificate', async () => {
    const network = twoEpochs();
    const node = network.node(3);
    const old = made(GENESIS_EPOCH);
    node.seal();
    node.move();
    await receive(network, node, old, 1);
    expect(acksBy(node)).toEqual([[hexOf(chunkIdOf(old.header)), 3]]);
    const payload = [{ chunkId: chunkIdOf(old.header), certificate: undefined }];
    expect(await build(network, node)).toEqual(payload);
  });

  it('of an epoch that ended longer ago is taken by id alone, and never acknowledged', async () => {
    const network = twoEpochs();
    const node = network.node(3);
    const old = made(GENESIS_EPOCH);
    await receive(network, network.node(0), old, 1);
    node.seal();
    node.move();
    await network.pass(LATE_CHUNKS_MS);
    await receive(network, node, old, 1);
    expect(node.dissemination.stats().chunks.pending).toBe(0);
    expect(node.dissemination.stats().drops).toEqual({ 'chunk-closed-epoch': 1 });
    const payload = [{ chunkId: chunkIdOf(old.header), certificate: undefined }];
    const named = block({ parentId: network.genesisId, payload, epoch: NEXT_EPOCH });
    expect(await check(network, node, named)).toBe('valid');
    await receive(network, node, old, 1);
    expect(acksBy(node)).toEqual([]);
    expect(node.offences).toEqual([]);
  });

  it('is referenced for less than 60 s of block time after its epoch', async () => {
    const network = twoEpochs();
    const node = network.node(3);
    const old = made(GENESIS_EPOCH, { createdMs: START_MS + 10_000, expiryMs: START_MS + 70_000 });
    await network.pass(10_000);
    await receive(network, node, old, 1);
    node.seal();
    node.move(START_MS);
    const payload = [{ chunkId: chunkIdOf(old.header), certificate: undefined }];
    const at = (timestampMs: number) =>
      block({ parentId: network.genesisId, payload, epoch: NEXT_EPOCH, timestampMs: START_MS + timestampMs });
    expect(await check(network, node, at(60_000))).toContain('over for too long');
    expect(await check(network, node, at(59_999))).toBe('valid');
  });

  it('of a forgotten epoch is dropped at a restart, and its sequence stays used', async () => {
    const network = twoEpochs();
    await submit(network, network.node(1), transaction({ from: accountOf(1) }));
    await certify(network);
    await moveAll(network);
    const node = network.node(1);
    node.dissemination.expire(START_MS + 120_000);
    expect(node.dissemination.stats().chunks.pending).toBe(0);
    const bytes = signedChunkCodec.encode(made(epoch(7)));
    expect(node.dissemination.restoreChunk(bytes, 1, 0)).toBe(true);
    expect(node.dissemination.stats().chunks.pending).toBe(0);
  });
});

describe('a storage ack', () => {
  it('with the index of another epoch is ignored; with one that its sender never has, it is an offence', async () => {
    const network = twoEpochs();
    for (const number of [0, 2, 3]) network.lose(peerKey(number), peerKey(1));
    const producer = network.node(1);
    await submit(network, producer, transaction({ from: accountOf(1) }));
    await certify(network);
    sealAll(network);
    const [header] = headersBy(producer);
    const chunkId = chunkIdOf(header as ChunkHeader);
    const ack = (from: number, signer: number) => {
      const signature = memberSignature(signer, chunkAckMessage(GENESIS_HASH, GENESIS_EPOCH, chunkId));
      producer.dissemination.onChunkAck(peerKey(from), encodeFrame('chunkAck', { chunkId, signer, signature }));
    };
    ack(2, 1);
    ack(3, 2);
    await network.pass();
    expect(producer.offences).toEqual([]);
    expect(producer.dissemination.stats().producer?.certified).toBe(0);
    ack(2, 3);
    expect(producer.offences).toMatchObject([{ peer: peerKey(2), reason: 'wrong-signer' }]);
    for (const number of [0, 2, 3]) ack(number, number);
    await network.pass();
    expect(producer.dissemination.stats().producer?.certified).toBe(1);
  });

  it('of a closed epoch’s chunk still counts', async () => {
    const network = twoEpochs();
    for (const number of [0, 2, 3]) network.lose(peerKey(number), peerKey(1));
    const producer = network.node(1);
    await submit(network, producer, transaction({ from: accountOf(1) }));
    await certify(network);
    await moveAll(network);
    const chunkId = chunkIdOf(headersBy(producer)[0] as ChunkHeader);
    for (const signer of [0, 2, 3]) {
      const signature = memberSignature(signer, chunkAckMessage(GENESIS_HASH, GENESIS_EPOCH, chunkId));
      producer.dissemination.onChunkAck(peerKey(signer), encodeFrame('chunkAck', { chunkId, signer, signature }));
    }
    await network.pass();
    expect(producer.dissemination.stats().producer?.certified).toBe(1);
    expect((await build(network, network.node(1))).map(({ certificate }) => certificate?.epoch)).toEqual([0]);
  });
});

describe('a chunk certificate', () => {
  it('of an epoch without a record is ignored, and in a block it is a fault', async () => {
    const network = twoEpochs();
    const node = network.node(3);
    const { header } = made(GENESIS_EPOCH);
    const chunkId = chunkIdOf(header);
    const certificate = {
      epoch: NEXT_EPOCH,
      signers: [0, 1, 2],
      aggregate: fakeAggregate(chunkAckMessage(GENESIS_HASH, NEXT_EPOCH, chunkId)),
    };
    const frame = encodeFrame('chunkCertified', { chunkId, certificate, suspendedMs: 0 });
    await node.dissemination.onChunkCertified(peerKey(1), frame);
    expect(node.offences).toEqual([]);
    expect(node.dissemination.stats().drops).toEqual({ 'certificate-foreign-epoch': 1 });
    const named = block({ parentId: network.genesisId, payload: [{ chunkId, certificate }] });
    expect(await check(network, node, named)).toContain('later epoch');
  });

  it('is of the epoch of its chunk', async () => {
    const network = twoEpochs();
    const node = network.node(3);
    const old = made(GENESIS_EPOCH);
    await receive(network, node, old, 1);
    node.seal();
    node.move();
    const chunkId = chunkIdOf(old.header);
    const certificate = {
      epoch: NEXT_EPOCH,
      signers: [0, 1, 2],
      aggregate: fakeAggregate(chunkAckMessage(GENESIS_HASH, NEXT_EPOCH, chunkId)),
    };
    const named = block({ parentId: network.genesisId, payload: [{ chunkId, certificate }], epoch: NEXT_EPOCH });
    expect(await check(network, node, named)).toContain('is of epoch 1, not 0');
  });
});

it('a frame of a node under its new index blames that node, and no member of that index in the epoch before', async () => {
  const network = twoEpochs();
  const node = network.node(3);
  node.seal();
  node.move();
  await receive(network, node, chunk([transaction({ badSignature: true })], { epoch: NEXT_EPOCH, producer: INDEX }), 2);
  expect(node.offences).toMatchObject([{ peer: peerKey(2), reason: 'invalid-chunk' }]);
});
