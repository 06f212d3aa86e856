import type { Compression } from '@slipstream/ports';
import { fail, ok } from '@slipstream/primitives';
import { chunkIdOf, encodeFrame, hexOf, type SignedChunk, signedChunkCodec } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { type ChunkIntake, createChunkIntake } from '../../src/chunks/chunk-intake.ts';
import type { ChunkStore } from '../../src/chunks/chunk-store.ts';
import type { SeenHeader } from '../../src/chunks/seen-headers.ts';
import { DISSEMINATION_LIMITS } from '../../src/index.ts';
import { chunk, frameOf } from '../harness/chunks.ts';
import { genesisCommittees } from '../harness/genesis-epochs.ts';
import { block, createTestNetwork, genesisOf, peerKey, transaction } from '../harness/network.ts';
import { START_MS } from '../harness/start-time.ts';
import { check } from '../harness/steps.ts';

function intakeInto(store: Partial<ChunkStore>): ChunkIntake {
  const parts = {
    store: { put() {}, verdicts: async () => [], get: () => undefined, ...store },
    clock: { monotonicMs: () => 0, wallMs: () => START_MS },
    events: { chunkAvailable() {} },
    committees: genesisCommittees(genesisOf(4), 0),
  } as unknown as Parameters<typeof createChunkIntake>[0];
  return createChunkIntake(
    parts,
    { chunkRules: {} } as unknown as Parameters<typeof createChunkIntake>[1],
    DISSEMINATION_LIMITS,
  );
}

function countingCompression() {
  let opened = 0;
  const compression: Compression = {
    compress: (bytes) => bytes,
    decompress(bytes, { roomBytes }) {
      if (bytes.length > roomBytes) return fail({ code: 'no-room', message: 'no room' });
      opened += 1;
      return ok(bytes);
    },
  };
  return { compression, opened: () => opened };
}

describe('a chunk of a hostile validator', () => {
  it('that a full node already has is decompressed there only a bounded number of times', async () => {
    const { compression, opened } = countingCompression();
    const network = createTestNetwork({ limits: { producerBytesMax: 128 * 1024 }, overrides: { compression } });
    const { dissemination } = network.fullNode;
    const frame = encodeFrame('chunk', { compressed: true, bytes: signedChunkCodec.encode(chunk([transaction()])) });
    for (let times = 0; times < 200; times++) {
      void dissemination.onChunk(peerKey(1), frame);
      await network.pass();
    }
    // An opening counts as at least 16 KiB; an upstream's budget covers four producers.
    expect(opened()).toBe(4 * 8 + 1);
    expect(dissemination.stats().drops).toMatchObject({ 'chunk-quota': 200 - opened() });
  });

  it('that it relays to a full node uses a bounded budget of its own, whatever producer it claims', async () => {
    const bytesMax = 8 * 1024;
    const network = createTestNetwork({ limits: { producerBytesMax: bytesMax } });
    const { dissemination } = network.fullNode;
    const pass = async (from: number, sent: SignedChunk) => {
      void dissemination.onChunk(peerKey(from), frameOf(sent));
      await network.pass();
    };
    for (let sequence = 1; sequence <= 100; sequence++) {
      await pass(1, { ...chunk([transaction()], { sequence, producer: 2 }), signature: new Uint8Array(192) });
    }
    expect(dissemination.stats().chunks.pendingBytes).toBeLessThanOrEqual(bytesMax);
    const { stored } = dissemination.stats().chunks;
    await pass(2, chunk([transaction()], { sequence: 200, producer: 2 }));
    await pass(3, chunk([transaction()], { sequence: 201, producer: 2 }));
    expect(dissemination.stats().chunks.stored).toBe(stored + 2);
  });

  it('takes one of a bounded number of slots however small it is, and leaves others theirs', async () => {
    const network = createTestNetwork();
    const { dissemination } = network.node(0);
    const [bytes, tail] = [transaction(), 100];
    for (let sequence = 1; sequence <= DISSEMINATION_LIMITS.producerChunksMax + tail; sequence++) {
      void dissemination.onChunk(peerKey(1), frameOf(chunk([bytes], { sequence })));
    }
    void dissemination.onChunk(peerKey(2), frameOf(chunk([bytes], { producer: 2 })));
    await network.pass();
    expect(dissemination.stats().chunks.pending).toBe(DISSEMINATION_LIMITS.producerChunksMax + 1);
    expect(dissemination.stats().drops).toMatchObject({ 'chunk-quota': tail });
  });

  it('is dropped and counted while no block may reference it yet, and accepted when one may', async () => {
    const sent = frameOf(chunk([transaction()], { createdMs: START_MS + 30_500, expiryMs: START_MS + 60_500 }));
    const network = createTestNetwork();
    const node = network.node(0);
    void node.dissemination.onChunk(peerKey(1), sent);
    await network.pass();
    expect(node.dissemination.stats().drops).toEqual({ 'chunk-too-early': 1 });
    expect(node.sent).toEqual([]);
    await network.pass(500);
    void node.dissemination.onChunk(peerKey(1), sent);
    await network.pass();
    expect(node.dissemination.stats().chunks.pending).toBe(1);
  });

  it('that was fetched by id and claims a life of years does not retain the log for years', async () => {
    const late = START_MS * 2;
    const sent = chunk([transaction()], { createdMs: late, expiryMs: late + 30_000 });
    const bytes = signedChunkCodec.encode(sent);
    const network = createTestNetwork({ fetchChunk: async () => ({ from: peerKey(2), bytes }) });
    const { dissemination } = network.node(0);
    const payload = [{ chunkId: chunkIdOf(sent.header), certificate: undefined }];
    const verdict = await check(network, network.node(0), block({ parentId: network.genesisId, payload }), 1_000);
    expect(verdict).toContain('expires only at');
    dissemination.expire(START_MS + 59_000);
    expect(dissemination.stats().chunks.pending).toBe(1);
    dissemination.expire(network.nowMs() + 60_000);
    expect(dissemination.stats().chunks.pending).toBe(0);
    expect(dissemination.logFloor()).toBeUndefined();
  });

  it.each([
    ['is here already', { createdMs: START_MS }],
    ['has expired', { createdMs: START_MS - 30_000, expiryMs: START_MS }],
  ])('that %s is decompressed a bounded number of times', async (_, change) => {
    const { compression, opened } = countingCompression();
    const network = createTestNetwork({ limits: { producerBytesMax: 128 * 1024 }, overrides: { compression } });
    const node = network.node(0);
    const send = async (sent: SignedChunk) => {
      const frame = encodeFrame('chunk', { compressed: true, bytes: signedChunkCodec.encode(sent) });
      void node.dissemination.onChunk(peerKey(1), frame);
      await network.pass();
    };
    const again = chunk([transaction()], change);
    for (let times = 0; times < 100; times++) await send(again);
    expect(opened()).toBeGreaterThanOrEqual(8);
    expect(opened()).toBeLessThanOrEqual(9);
    expect(node.dissemination.stats().drops).toMatchObject({ 'chunk-quota': 100 - opened() });
    expect(node.offences).toEqual([]);
    await network.pass(100);
    await send(chunk([transaction()], { sequence: 2 }));
    expect(node.dissemination.stats().chunks.stored).toBeGreaterThanOrEqual(1);
    for (let sequence = 3; sequence < 50; sequence++) await send(chunk([transaction()], { sequence }));
    expect(opened()).toBeGreaterThanOrEqual(8 + 48);
  });

  it('is retained by its header alone: none of its body stays in memory', () => {
    const body = new Uint8Array(2 ** 20);
    const remembered: SeenHeader[] = [];
    const intake = intakeInto({ rememberHeader: (header) => void remembered.push(header) });
    const { header } = chunk([transaction()]);
    const bytes = signedChunkCodec.encode({ header, body, signature: new Uint8Array(192) });
    const signature = bytes.subarray(bytes.length - body.length - 192, bytes.length - body.length);
    const id = chunkIdOf(header);
    intake.addOwn({ header, body, signature, bytes, id, hex: hexOf(id) }, { ids: [], batches: [] }, 1);
    expect(remembered.map((known) => known.signature.buffer.byteLength)).toEqual([192]);
  });
});

describe('a chunk forged in a producer’s name, in the log at a restart', () => {
  async function restarted() {
    const network = createTestNetwork();
    const node = network.node(0);
    const invented = { ...chunk([transaction({ badSignature: true })]), signature: new Uint8Array(192) };
    node.dissemination.restoreChunk(signedChunkCodec.encode(invented), 5, 0);
    node.dissemination.restored();
    await network.pass();
    return { network, node };
  }

  it('is restored without blame of the producer', async () => {
    const { node } = await restarted();
    expect(node.offences).toEqual([]);
    expect(node.dissemination.stats().chunks.pending).toBe(1);
  });

  it('does not block the producer’s own chunk of that sequence, and no peer is blamed', async () => {
    const { network, node } = await restarted();
    void node.dissemination.onChunk(peerKey(1), frameOf(chunk([transaction()])));
    await network.pass();
    expect(node.offences).toEqual([]);
    expect(node.evidence).toEqual([]);
    expect(node.dissemination.stats().chunks.pending).toBe(2);
  });

  it('excuses nothing: what the producer did sign is still evidence', async () => {
    const network = createTestNetwork();
    const node = network.node(0);
    node.dissemination.restoreChunk(signedChunkCodec.encode(chunk([transaction()])), 5, 0);
    void node.dissemination.onChunk(peerKey(1), frameOf(chunk([transaction()])));
    await network.pass();
    expect(node.evidence).toHaveLength(1);
  });
});

describe('a chunk that was fetched by id and then comes from its producer', () => {
  /** Member 0 has fetched the chunk; any peer may serve any signature. */
  async function fetched(sent: SignedChunk, served: SignedChunk = sent) {
    const bytes = signedChunkCodec.encode(served);
    const network = createTestNetwork({ fetchChunk: async () => ({ from: peerKey(2), bytes }) });
    const node = network.node(0);
    const send = async (each: SignedChunk) => {
      void node.dissemination.onChunk(peerKey(1), frameOf(each));
      await network.pass();
    };
    const fetch = async () => {
      const payload = [{ chunkId: chunkIdOf(sent.header), certificate: undefined }];
      const made = block({ parentId: network.genesisId, payload });
      await check(network, node, made, 1_000);
      expect(node.dissemination.idsOf(chunkIdOf(sent.header))).toHaveLength(1);
      return made;
    };
    const acked = () => node.log.filter(({ kind }) => kind === 'own-chunk-ack').map(({ payload }) => payload);
    return { node, send, fetch, acked };
  }

  it('is acknowledged, and is the first of its sequence from then on', async () => {
    const first = chunk([transaction()]);
    const second = chunk([transaction()]);
    const { node, send, fetch, acked } = await fetched(first);
    await fetch();
    await send(first);
    await send(second);
    expect(acked()).toEqual([chunkIdOf(first.header)]);
    expect(node.evidence).toEqual([
      {
        offender: 1,
        peer: peerKey(1),
        first: { header: first.header, signature: first.signature },
        second: { header: second.header, signature: second.signature },
      },
    ]);
    expect(node.offences).toEqual([]);
  });

  it('is the first of its sequence too when it is on the chain already', async () => {
    const first = chunk([transaction()]);
    const { node, send, fetch, acked } = await fetched(first);
    const made = await fetch();
    node.dissemination.committed(made.id, made.block, { executedIds: [], skipped: [] });
    await send(first);
    await send(chunk([transaction()]));
    expect(acked()).toEqual([]);
    expect(node.evidence).toMatchObject([{ offender: 1, first: { signature: first.signature } }]);
  });

  it('is not acknowledged when it is the second, and is evidence though it was served with a forged signature', async () => {
    const first = chunk([transaction()]);
    const second = chunk([transaction()]);
    const { node, send, fetch, acked } = await fetched(second, { ...second, signature: new Uint8Array(192) });
    await send(first);
    await fetch();
    expect(node.evidence).toEqual([]);
    await send(second);
    expect(acked()).toEqual([chunkIdOf(first.header)]);
    expect(node.evidence).toMatchObject([{ offender: 1, second: { signature: second.signature } }]);
  });

  it('is acknowledged though another peer forged one in its sequence, in the log', async () => {
    const sent = chunk([transaction()]);
    const { node, send, fetch, acked } = await fetched(sent);
    const invented = { ...chunk([transaction()]), signature: new Uint8Array(192) };
    node.dissemination.restoreChunk(signedChunkCodec.encode(invented), 5, 0);
    await fetch();
    await send(sent);
    expect(acked()).toEqual([chunkIdOf(sent.header)]);
    expect(node.evidence).toEqual([]);
    expect(node.offences).toEqual([]);
  });
});

describe('a chunk requested by id, of a sequence for which its producer signs another', () => {
  /** A node that has fetched these for a block. */
  async function fetched(...served: readonly SignedChunk[]) {
    const network = createTestNetwork({
      async fetchChunk(chunkId) {
        const found = served.find(({ header }) => hexOf(chunkIdOf(header)) === hexOf(chunkId)) as SignedChunk;
        return { from: peerKey(2), bytes: signedChunkCodec.encode(found) };
      },
    });
    const node = network.node(0);
    for (const { header } of served) {
      const payload = [{ chunkId: chunkIdOf(header), certificate: undefined }];
      expect(await check(network, node, block({ parentId: network.genesisId, payload }), 1_000)).toBe('valid');
    }
    return { network, node };
  }

  const invented = () => ({ ...chunk([transaction()]), signature: new Uint8Array(192) });

  it('is evidence against the producer that then sends the other', async () => {
    const { network, node } = await fetched(chunk([transaction()]));
    void node.dissemination.onChunk(peerKey(1), frameOf(chunk([transaction()])));
    await network.pass();
    expect(node.evidence).toMatchObject([{ offender: 1 }]);
    expect(node.dissemination.stats().chunks.stored).toBe(1);
  });

  it('is evidence with a second requested one, and both are retained: blocks need them', async () => {
    const { node } = await fetched(chunk([transaction()]), chunk([transaction()]));
    expect(node.evidence).toMatchObject([{ offender: 1 }]);
    expect(node.dissemination.stats().chunks.stored).toBe(2);
  });

  it('and that is forged in its producer’s name blames no peer, and hides no evidence', async () => {
    const { network, node } = await fetched(invented(), chunk([transaction()]));
    expect(node.evidence).toEqual([]);
    void node.dissemination.onChunk(peerKey(1), frameOf(chunk([transaction()])));
    await network.pass();
    expect(node.offences).toEqual([]);
    expect(node.evidence).toMatchObject([{ offender: 1 }]);
  });

  it('and that is forged in its producer’s name does not block the producer’s own', async () => {
    const { network, node } = await fetched(invented());
    void node.dissemination.onChunk(peerKey(1), frameOf(chunk([transaction()])));
    await network.pass();
    expect([node.offences, node.evidence]).toEqual([[], []]);
    expect(node.dissemination.stats().chunks.stored).toBe(2);
  });
});
