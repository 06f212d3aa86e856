import { randomBytes } from 'node:crypto';
import type { Compression, PeerKey } from '@slipstream/ports';
import { fail } from '@slipstream/primitives';
import {
  type ChunkHeader,
  chunkHeaderCodec,
  chunkIdOf,
  encodeFrame,
  epoch,
  FRAMES,
  hexOf,
  NO_UNITS,
  type SignedChunk,
  signedChunkCodec,
} from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import type { PoolTransaction } from '../../src/pool/pool-transaction.ts';
import { createChunkBuilder } from '../../src/producer/chunk-builder.ts';
import { chunk, frameOf } from '../harness/chunks.ts';
import { createFakeLog } from '../harness/fake-log.ts';
import { genesisCommittees } from '../harness/genesis-epochs.ts';
import {
  accountOf,
  createTestNetwork,
  FULL_NODE,
  GENESIS_HASH,
  genesisOf,
  idOf,
  peerKey,
  transaction,
} from '../harness/network.ts';
import { START_MS } from '../harness/start-time.ts';
import { certify, submit } from '../harness/steps.ts';

async function receive(
  sent: SignedChunk,
  from: PeerKey = peerKey(1),
  options: Parameters<typeof createTestNetwork>[0] = {},
) {
  const network = createTestNetwork(options);
  const node = network.node(0);
  void node.dissemination.onChunk(from, frameOf(sent));
  await network.pass();
  return { network, node, stats: node.dissemination.stats(), offences: node.offences.map(({ reason }) => reason) };
}

describe('a chunk from its producer', () => {
  it('is stored and logged, can be served, and has its transactions checked', async () => {
    const good = transaction();
    const sent = chunk([good, transaction({ badSignature: true }), new Uint8Array([1])]);
    const { node, stats } = await receive(sent);
    const id = chunkIdOf(sent.header);
    expect(stats.chunks.pending).toBe(1);
    expect(node.log).toEqual([
      { kind: 'chunk', payload: signedChunkCodec.encode(sent) },
      { kind: 'own-chunk-ack', payload: id },
    ]);
    expect(await node.dissemination.chunkById(id)).toEqual(signedChunkCodec.encode(sent));
    const transactions = await node.dissemination.transactionsOf(id);
    expect(node.dissemination.idsOf(id)).toEqual(transactions?.map((each) => hexOf(each.id)));
    expect(transactions?.map(({ signatureValid }) => signatureValid)).toEqual([true, false, false]);
    expect(node.checked.map((batch) => batch.length)).toEqual([2]);
  });

  it('is an offence of its producer when it packs a bad signature, though it is stored', async () => {
    const { node, stats } = await receive(chunk([transaction({ badSignature: true })]));
    expect(stats.chunks.pending).toBe(1);
    expect(node.offences).toMatchObject([{ peer: peerKey(1), reason: 'invalid-chunk' }]);
  });

  it('causes no check for a known transaction, and none when it is executed', async () => {
    const network = createTestNetwork();
    const node = network.node(0);
    const bytes = transaction();
    const result = node.dissemination.submit(bytes);
    await network.pass(2);
    await result;
    const sent = chunk([bytes]);
    void node.dissemination.onChunk(peerKey(1), frameOf(sent));
    await network.pass();
    const transactions = await node.dissemination.transactionsOf(chunkIdOf(sent.header));
    expect(transactions?.[0]?.signatureValid).toBe(true);
    expect(node.checked.flat()).toHaveLength(1);
  });

  const faults: readonly [string, Partial<ChunkHeader>][] = [
    ['a producer that does not exist', { producer: 9 }],
    ['another length of its body', { bodyBytes: 1 }],
    ['another hash of its body', { bodyHash: new Uint8Array(32) }],
    ['another number of transactions', { transactionCount: 2 }],
    ['no transactions', { transactionCount: 0 }],
    ['another sum of units', { units: [1, 1, 1, 1, 1] }],
    ['a life above the maximum', { expiryMs: START_MS + 60_001 }],
    ['a life that ends before it begins', { expiryMs: START_MS }],
  ];

  it.each(faults)('is rejected with a header that claims %s', async (_, change) => {
    const { stats, offences, node } = await receive(chunk([transaction()], change));
    expect(stats.chunks.pending).toBe(0);
    expect(offences).toEqual(['invalid-chunk']);
    expect(node.log).toEqual([]);
  });

  it('is ignored when it is of another epoch, without blame', async () => {
    const { stats, offences, node } = await receive(chunk([transaction()], { epoch: epoch(1) }));
    expect(offences).toEqual([]);
    expect(node.log).toEqual([]);
    expect(stats.drops).toEqual({ 'chunk-foreign-epoch': 1 });
  });

  it('is rejected without a check when it exceeds the limits of a block', async () => {
    const actions = Array.from(
      { length: 16 },
      () => ({ kind: 'setData', name: 'n', value: new Uint8Array(0) }) as const,
    );
    const heavy = Array.from({ length: 630 }, () => transaction({ actions }));
    const { stats, offences, node } = await receive(chunk(heavy));
    expect(stats.chunks.pending).toBe(0);
    expect(offences).toEqual(['invalid-chunk']);
    expect(node.checked).toEqual([]);
  });

  it('is rejected as malformed when it does not decode', async () => {
    const network = createTestNetwork();
    const node = network.node(0);
    void node.dissemination.onChunk(peerKey(1), new Uint8Array([6, 1, 2]));
    void node.dissemination.onChunk(peerKey(1), new Uint8Array([]));
    await network.pass();
    expect(node.offences.map(({ reason }) => reason)).toEqual(['malformed-frame', 'malformed-frame']);
  });

  it('is dropped and counted when another peer sends it unrequested, without blame', async () => {
    const { offences, stats } = await receive(chunk([transaction()]), peerKey(2));
    expect(offences).toEqual([]);
    expect(stats.drops).toEqual({ 'chunk-not-from-producer': 1 });
  });

  it('is not decompressed when it comes from a peer that is no validator', async () => {
    const { offences, stats } = await receive(chunk([transaction()]), FULL_NODE);
    expect(offences).toEqual([]);
    expect(stats.drops).toEqual({ 'chunk-not-from-producer': 1 });
    const network = createTestNetwork();
    const node = network.node(1);
    void node.dissemination.onChunk(FULL_NODE, new Uint8Array([0xde, 0xad]));
    await network.pass();
    expect(node.offences).toEqual([]);
    expect(node.dissemination.stats().drops).toEqual({ 'chunk-not-from-producer': 1 });
  });

  it('is dropped and counted when it has expired', async () => {
    const { stats } = await receive(chunk([transaction()], { createdMs: START_MS - 10, expiryMs: START_MS }));
    expect(stats.drops).toEqual({ 'chunk-expired': 1 });
  });

  it('is dropped and counted above the pending quota of its producer, and then nothing of it is checked', async () => {
    const { stats, node, network } = await receive(chunk([transaction()]), peerKey(1), {
      limits: { producerBytesMax: 10 },
    });
    expect(stats.drops).toEqual({ 'chunk-quota': 1 });
    expect(stats.chunks.pending).toBe(0);
    void node.dissemination.onChunk(peerKey(1), encodeFrame('chunk', { compressed: false, bytes: randomBytes(11) }));
    await network.pass();
    expect(node.dissemination.stats().drops).toEqual({ 'chunk-quota': 2 });
    expect(node.offences).toEqual([]);
  });

  it('is decompressed into no more memory than the rest of its producer’s quota', async () => {
    const first = chunk([transaction()]);
    const producerBytesMax = 1_000;
    const asked: number[] = [];
    const compression: Compression = {
      compress: (bytes) => bytes,
      decompress(_, { roomBytes }) {
        asked.push(roomBytes);
        return fail({ code: 'no-room', message: 'no room' });
      },
    };
    const { node, network } = await receive(first, peerKey(1), {
      limits: { producerBytesMax },
      overrides: { compression },
    });
    void node.dissemination.onChunk(peerKey(1), encodeFrame('chunk', { compressed: true, bytes: new Uint8Array(9) }));
    await network.pass();
    expect(asked).toEqual([producerBytesMax - signedChunkCodec.encode(first).length]);
    expect(node.dissemination.stats().drops).toEqual({ 'chunk-quota': 1 });
    expect(node.offences).toEqual([]);
  });

  it.each([
    ['has expired', chunk([transaction()], { createdMs: START_MS - 10, expiryMs: START_MS }), peerKey(1)],
    ['is of another producer than its sender', chunk([transaction()]), peerKey(2)],
  ])('is not decompressed when it %s', async (_, sent, from) => {
    const body = sent.body.map((byte) => byte ^ 1); // does not match the header's hash: an offence if checked
    const { offences, stats } = await receive({ ...sent, body }, from);
    expect(offences).toEqual([]);
    expect(Object.values(stats.drops)).toEqual([1]);
  });

  it('is acknowledged again when it arrives again, without decompression', async () => {
    const sent = chunk([transaction()]);
    const { node, network } = await receive(sent);
    const acks = () =>
      node.sent.filter(({ to, frame }) => to === peerKey(1) && frame[0] === FRAMES.chunkAck.kind).length;
    const before = acks();
    void node.dissemination.onChunk(peerKey(1), frameOf({ ...sent, body: sent.body.map((byte) => byte ^ 1) }));
    await network.pass();
    expect(acks()).toBe(before + 1);
    expect(await node.dissemination.chunkById(chunkIdOf(sent.header))).toEqual(signedChunkCodec.encode(sent));
    expect(node.offences).toEqual([]);
  });

  it('is evidence when it is the second of one sequence', async () => {
    const first = chunk([transaction()]);
    const second = chunk([transaction()]);
    const { node, network } = await receive(first);
    void node.dissemination.onChunk(peerKey(1), frameOf(second));
    void node.dissemination.onChunk(peerKey(1), frameOf(first));
    await network.pass();
    expect(node.evidence).toEqual([
      {
        offender: 1,
        peer: peerKey(1),
        first: { header: first.header, signature: first.signature },
        second: { header: second.header, signature: second.signature },
      },
    ]);
    expect(node.dissemination.stats().chunks.pending).toBe(1);
  });

  it.each([
    ['first', 'invalid-chunk'],
    ['second', 'invalid-signature'],
  ])(
    'is no evidence when the %s of one sequence is not signed: no other node could verify it',
    async (which, reason) => {
      const [first, second] = [chunk([transaction()]), chunk([transaction()])];
      const unsigned = (sent: typeof first) => ({ ...sent, signature: first.signature.map((byte) => byte ^ 1) });
      const { node, network } = await receive(which === 'first' ? unsigned(first) : first);
      void node.dissemination.onChunk(peerKey(1), frameOf(which === 'second' ? unsigned(second) : second));
      await network.pass();
      expect(node.evidence).toEqual([]);
      expect(node.offences.map(({ peer, reason: given }) => [peer, given])).toEqual([[peerKey(1), reason]]);
    },
  );

  it('is released once it has expired unreferenced', async () => {
    const { node } = await receive(chunk([transaction()]));
    node.dissemination.expire(START_MS + 29_999);
    expect(node.dissemination.stats().chunks.pending).toBe(1);
    node.dissemination.expire(START_MS + 30_000);
    expect(node.dissemination.stats().chunks).toMatchObject({ expired: 1, pending: 0, pendingBytes: 0, retained: 0 });
    expect(node.dissemination.logFloor()).toBeUndefined();
  });
});

describe('the log', () => {
  it('restores chunks at start, and their sequences are never used again', async () => {
    const network = createTestNetwork();
    const node = network.node(1);
    const sent = chunk([transaction()], { sequence: 41 });
    expect(node.dissemination.restoreOwnHeader(chunkHeaderCodec.encode(sent.header), 4, 0)).toBe(true);
    expect(node.dissemination.restoreChunk(signedChunkCodec.encode(sent), 5, 0)).toBe(true);
    expect(node.dissemination.restoreOwnHeader(new Uint8Array([1]), 6, 0)).toBe(false);
    expect(node.dissemination.restoreChunk(new Uint8Array([1]), 7, 0)).toBe(false);
    expect(node.dissemination.logFloor()).toBe(4);
    await submit(network, node, transaction({ from: accountOf(1) }));
    await certify(network);
    const header = node.log.find(({ kind }) => kind === 'own-chunk-header');
    expect(header && chunkHeaderCodec.decode(header.payload)).toMatchObject({ ok: true, value: { sequence: 42 } });
  });

  it('restores no chunk that is too old for the next blocks, but always its sequence', async () => {
    const network = createTestNetwork();
    const node = network.node(1);
    const old = chunk([transaction()], { sequence: 41 });
    const record = signedChunkCodec.encode(old);
    expect(node.dissemination.restoreOwnHeader(chunkHeaderCodec.encode(old.header), 4, old.header.expiryMs)).toBe(true);
    expect(node.dissemination.restoreChunk(record, 5, old.header.expiryMs)).toBe(true);
    node.dissemination.restored();
    expect(node.dissemination.stats().chunks).toMatchObject({ stored: 0, pending: 0 });
    expect(node.dissemination.logFloor()).toBeUndefined();
    await submit(network, node, transaction({ from: accountOf(1) }));
    await certify(network);
    const header = node.log.find(({ kind }) => kind === 'own-chunk-header');
    expect(header && chunkHeaderCodec.decode(header.payload)).toMatchObject({ ok: true, value: { sequence: 42 } });
  });

  it('has restored transactions checked once the log and the ledger are both restored', async () => {
    const network = createTestNetwork();
    const node = network.node(0);
    const bad = chunk([transaction({ badSignature: true })]);
    node.dissemination.restoreChunk(signedChunkCodec.encode(bad), 5, bad.header.expiryMs - 1);
    await network.pass();
    expect(node.offences).toEqual([]);
    node.dissemination.restored();
    await network.pass();
    expect(node.offences.map(({ peer, reason }) => [peer, reason])).toEqual([[peerKey(1), 'invalid-chunk']]);
  });

  it('accepts a transaction that a client resubmits though a restored chunk holds it, and reports its outcome', async () => {
    const network = createTestNetwork();
    const node = network.node(0);
    const bytes = transaction();
    const back = chunk([bytes]);
    node.dissemination.restoreChunk(signedChunkCodec.encode(back), 5, back.header.expiryMs - 1);
    node.dissemination.restored();
    await network.pass();
    await submit(network, node, bytes);
    expect(node.dissemination.status(idOf(bytes))).toMatchObject({ status: 'pending' });
    node.dissemination.expire(START_MS + 120_000);
    expect(node.dissemination.status(idOf(bytes))).toMatchObject({ status: 'dropped', reason: 'expired' });
  });

  it('has nothing of a chunk, and nothing is signed, before its sequence is reserved', async () => {
    const reserved = Promise.withResolvers<void>();
    const done: string[] = [];
    const builder = createChunkBuilder(
      {
        committees: genesisCommittees(genesisOf(4), 0),
        signerOf: () => ({
          publicKey: new Uint8Array(48),
          sign: async (messages) => {
            done.push('signed');
            return messages.map(() => new Uint8Array(96));
          },
        }),
        demand: { asks: () => true },
        wal: createFakeLog((kind) => done.push(kind)),
        reserveSequence: () => reserved.promise,
        take: (opened) => ({ ...opened, ids: [], arrivedMs: 0 }) as never,
        track: () => done.push('sent'),
      },
      { genesisHash: GENESIS_HASH, firstSequence: 7 },
    );
    const waiting = { bytes: transaction() } as PoolTransaction;
    const building = builder.build({ transactions: [waiting], batches: [], rows: 0, units: NO_UNITS }, START_MS);
    for (let i = 0; i < 20; i++) await Promise.resolve();
    expect(done).toEqual([]);
    reserved.resolve();
    await building;
    expect(done).toEqual(['signed', 'own-chunk-header', 'chunk', 'own-chunk-ack', 'sent']);
  });

  it('holds header, chunk and ack before the chunk leaves', async () => {
    const network = createTestNetwork();
    const node = network.node(0);
    const open = node.holdSyncs();
    await submit(network, node, transaction());
    await network.pass(1_000);
    expect(node.log.map(({ kind }) => kind)).toEqual(['own-chunk-header', 'chunk', 'own-chunk-ack']);
    expect(node.sent.filter(({ lane }) => lane === 'chunk')).toEqual([]);
    open();
    await network.pass(10);
    const left = node.sent.filter(({ lane }) => lane === 'chunk');
    expect(left.map(({ to }) => to)).toHaveLength(4);
    for (const { logged } of left) expect(logged).toBe(3);
  });

  it('holds chunk and ack before the ack leaves', async () => {
    const network = createTestNetwork();
    const open = network.node(2).holdSyncs();
    await submit(network, network.node(0), transaction());
    await certify(network);
    const acks = () => network.node(2).sent.filter(({ lane }) => lane === 'consensus');
    expect(acks()).toEqual([]);
    open();
    await network.pass(10);
    expect(acks().map(({ to, logged }) => [to, logged])).toEqual([[peerKey(0), 2]]);
  });

  it('holds back every chunk when it fails, and reports the failure', async () => {
    const wal = createFakeLog(undefined, () => Promise.reject(new Error('disk')));
    const network = createTestNetwork({ overrides: { wal } });
    const node = network.node(0);
    await submit(network, node, transaction());
    await network.pass(1_000);
    expect(node.sent.filter(({ lane }) => lane === 'chunk')).toEqual([]);
    expect(node.failures).toHaveLength(1);
  });
});
