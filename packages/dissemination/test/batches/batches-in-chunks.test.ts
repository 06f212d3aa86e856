/** Batches in chunks: D23 to D25: liars, lagging directories, duplicates. */
import { batchHeaderCodec } from '@slipstream/distilled';
import { silentTelemetry, type Telemetry } from '@slipstream/ports';
import { chunkIdOf, decodeFrame, height, type SignedChunk, signedChunkCodec } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { batchBytes, batchIdIn, commitNext, directoryUpTo, HEIGHT, networkWithBatches } from '../harness/batches.ts';
import { chunk, frameOf } from '../harness/chunks.ts';
import { block, createTestNetwork, FOREVER, type Node, peerKey, type TestNetwork } from '../harness/network.ts';
import { build, check } from '../harness/steps.ts';
import { NEXT_EPOCH } from '../harness/two-epochs.ts';

const LIAR = peerKey(1);

const chunkWith = (batches: readonly Uint8Array[], change: Parameters<typeof chunk>[1] = {}) =>
  chunk([], { acksWanted: false, ...change }, batches);

function blockOf(network: TestNetwork, ...chunks: readonly SignedChunk[]) {
  const payload = chunks.map(({ header }) => ({ chunkId: chunkIdOf(header), certificate: undefined }));
  const { block: made } = block({ parentId: network.genesisId, payload, height: HEIGHT + 1 });
  return block({ parentId: network.genesisId, payload: made.payload, height: height(HEIGHT + 1) });
}

/** Undefined: not answered yet. */
async function verdictsOn(network: TestNetwork, node: Node, made: ReturnType<typeof blockOf>) {
  let answer: readonly (readonly (boolean | undefined)[])[] | undefined;
  void node.dissemination.payloadOf(made.id, made.block, FOREVER).then((chunks) => {
    answer = chunks.map(({ batches }) => batches.map(({ isValid }) => isValid));
  });
  await network.pass(10);
  return answer;
}

async function arriving(sent: readonly SignedChunk[]) {
  const { network, claims } = networkWithBatches();
  const node = network.node(2);
  for (const each of sent) void node.dissemination.onChunk(LIAR, frameOf(each));
  await network.pass();
  return { network, node, claims };
}

describe('a chunk with batches', () => {
  it('is stored and its batches are judged; those that arrive together share one check', async () => {
    const sent = [1, 2].map((sequence) => chunkWith([batchBytes(), batchBytes()], { sequence }));
    const { network, node, claims } = await arriving(sent);
    expect(node.offences).toEqual([]);
    expect(claims).toEqual([{ peer: node.peer, count: 4 }]);
    expect(await verdictsOn(network, node, blockOf(network, ...sent))).toEqual([
      [true, true],
      [true, true],
    ]);
    expect(claims).toHaveLength(1);
  });

  const over = batchBytes({ senders: Array.from({ length: 30 }, (_, i) => i) });
  const cut = batchBytes().slice(0, -1);
  it.each<[string, SignedChunk]>([
    ['more rows than its batches have', chunkWith([batchBytes()], { rowCount: 4 })],
    ['another number of batches', chunkWith([batchBytes()], { batchCount: 2 })],
    ['rows of no batch', chunkWith([], { rowCount: 4, transactionCount: 1 })],
    ['nothing', chunkWith([])],
    ['more rows than a block may', chunkWith([over, over, over, over])],
    ['more batches than a chunk may', chunkWith([batchBytes()], { batchCount: 65, rowCount: 65 })],
    ['a batch of another epoch (Z2)', chunkWith([batchBytes({ header: { epoch: 1 } })])],
    ['bytes that are no batch (Z1)', chunkWith([cut], { rowCount: 3 })],
    ['units that are not their sum', chunkWith([batchBytes()], { units: [400, 0, 0, 0, 0] })],
  ])('is refused, and its producer blamed, if it holds %s (D7)', async (_, sent) => {
    const { node, claims } = await arriving([sent]);
    expect(node.offences).toMatchObject([{ peer: LIAR, reason: 'invalid-chunk' }]);
    expect(node.log).toEqual([]);
    expect(claims).toEqual([]);
  });

  it('is refused on a chain without a directory, which has no offers either', async () => {
    const network = createTestNetwork();
    const node = network.node(2);
    void node.dissemination.onChunk(LIAR, frameOf(chunkWith([batchBytes()])));
    await network.pass();
    expect(node.offences).toMatchObject([{ peer: LIAR, reason: 'invalid-chunk' }]);
    expect(await node.dissemination.offerBatch(batchBytes(), peerKey(50))).toMatchObject({ reason: 'no-directory' });
  });
});

describe('a false batch (D23)', () => {
  const beyond = { senders: [0, 40] };
  it.each<[string, Uint8Array]>([
    ['a false aggregate', batchBytes({ falseAggregate: true })],
    ['another root', batchBytes({ header: { root: new Uint8Array(32) } })],
    ['an index beyond the directory', batchBytes(beyond)],
    ['an index beyond the directory at its knownAt', batchBytes({ senders: [0, 30], header: { knownAt: 15 } })],
  ])('with %s is blamed, left out by leaders, not acknowledged, and skipped by all in a block', async (_, bytes) => {
    const sent = chunkWith([batchBytes(), bytes]);
    const { network } = networkWithBatches();
    for (const index of [0, 2, 3]) void network.node(index).dissemination.onChunk(LIAR, frameOf(sent));
    await network.pass(5_000);
    for (const index of [0, 2, 3]) {
      const node = network.node(index);
      expect(node.offences).toMatchObject([{ peer: LIAR, reason: 'invalid-chunk' }]);
      expect(node.sent.filter(({ frame }) => isAck(frame))).toEqual([]);
      expect(await build(network, node, network.genesisId, network.nowMs())).toEqual([]);
      expect(await check(network, node, blockOf(network, sent), 20)).toBe('valid');
      expect(await verdictsOn(network, node, blockOf(network, sent))).toEqual([[true, false]]);
    }
  });

  it.each([true, false])(
    'of the sealed epoch (%s) is not acknowledged at the move, as a true one is',
    async (isFalse) => {
      const committees = [
        [0, 1, 2, 3],
        [0, 1, 2, 3],
      ];
      const { network } = networkWithBatches({ committees });
      const node = network.node(2);
      node.seal();
      const bytes = batchBytes({ header: { epoch: NEXT_EPOCH }, falseAggregate: isFalse });
      void node.dissemination.onChunk(LIAR, frameOf(chunkWith([bytes], { epoch: NEXT_EPOCH, acksWanted: true })));
      await network.pass();
      expect(node.offences).toHaveLength(isFalse ? 1 : 0);
      node.move();
      await network.pass(100);
      expect(node.sent.filter(({ frame }) => isAck(frame))).toHaveLength(isFalse ? 0 : 1);
    },
  );

  it('costs one shared check, however many its producer sent: the rest is judged for a block only', async () => {
    const sent = Array.from({ length: 5 }, (_, sequence) =>
      chunkWith(
        Array.from({ length: 30 }, () => batchBytes({ senders: [1], falseAggregate: true })),
        { sequence },
      ),
    );
    const { network, node, claims } = await arriving(sent);
    expect(claims).toEqual([{ peer: node.peer, count: 64 }]);
    const made = blockOf(network, sent[4] as SignedChunk);
    expect((await verdictsOn(network, node, made))?.flat()).toEqual(new Array(30).fill(false));
    expect(claims.map(({ count }) => count)).toEqual([64, 30]);
  });

  it('waits its turn: producers with few batches are judged in the first check, however many another sent', async () => {
    const { network, rounds } = networkWithBatches();
    const node = network.node(2);
    for (const sequence of [1, 2, 3]) {
      const many = Array.from({ length: 60 }, () => batchBytes({ senders: [1] }));
      void node.dissemination.onChunk(LIAR, frameOf(chunkWith(many, { sequence })));
    }
    const header = { number: 12_345 };
    void node.dissemination.onChunk(peerKey(3), frameOf(chunkWith([batchBytes({ header })], { producer: 3 })));
    await network.pass();
    expect(rounds.map(({ length }) => length)).toEqual([64, 64, 53]);
    expect(rounds[0]).toContain(batchIdIn(batchBytes({ header })));
  });

  it('is known by its bytes: the same header over a true aggregate is valid', async () => {
    const header = { number: 1 };
    const [good, bad] = [batchBytes({ header }), batchBytes({ header, falseAggregate: true })];
    expect(batchHeaderCodec.decode(good.subarray(0, 106))).toEqual(batchHeaderCodec.decode(bad.subarray(0, 106)));
    const sent = [chunkWith([bad]), chunkWith([good], { sequence: 2 })];
    const { network, node } = await arriving(sent);
    expect(await verdictsOn(network, node, blockOf(network, ...sent))).toEqual([[false], [true]]);
  });
});

describe('a batch in two chunks', () => {
  it('is judged once', async () => {
    const bytes = batchBytes();
    const { network, claims } = networkWithBatches();
    const node = network.node(2);
    const first = chunkWith([bytes]);
    void node.dissemination.onChunk(LIAR, frameOf(first));
    await network.pass();
    const second = chunkWith([bytes], { producer: 3 });
    void node.dissemination.onChunk(peerKey(3), frameOf(second));
    await network.pass();
    expect(await verdictsOn(network, node, blockOf(network, first, second))).toEqual([[true], [true]]);
    expect(claims).toEqual([{ peer: node.peer, count: 1 }]);
  });
});

describe('a chunk that its producer withholds', () => {
  it('is fetched for its block, and its batches are judged as all others', async () => {
    const sent = chunkWith([batchBytes(), batchBytes({ falseAggregate: true })]);
    const fetchChunk = async () => ({ from: peerKey(3), bytes: signedChunkCodec.encode(sent) });
    const { network } = networkWithBatches({ fetchChunk });
    const node = network.node(2);
    const made = blockOf(network, sent);
    void verdictsOn(network, node, made);
    await network.pass(1_000);
    expect(await verdictsOn(network, node, made)).toEqual([[true, false]]);
    expect(node.offences).toMatchObject([{ peer: LIAR, reason: 'invalid-chunk' }]);
  });
});

describe('a node whose directory lags', () => {
  it('waits until knownAt is committed, blames no peer, and judges as the others do', async () => {
    const behind = directoryUpTo(HEIGHT - 1);
    const { network, claims } = networkWithBatches({ directories: { [peerKey(2)]: behind } });
    const node = network.node(2);
    const sent = chunkWith([
      batchBytes({ senders: [30] }),
      batchBytes({ senders: [1] }),
      batchBytes({ senders: [45] }),
    ]);
    void node.dissemination.onChunk(LIAR, frameOf(sent));
    await network.pass();
    const made = blockOf(network, sent);
    expect(await verdictsOn(network, node, made)).toBeUndefined();
    // The one whose indices are all here is judged at once.
    expect(claims).toEqual([{ peer: node.peer, count: 1 }]);
    node.dissemination.directoryGrew();
    await network.pass();
    expect([claims.length, node.offences]).toEqual([1, []]);
    commitNext(behind);
    node.dissemination.directoryGrew();
    await network.pass();
    expect(await verdictsOn(network, node, made)).toEqual([[true, true, false]]);
    expect(node.offences).toMatchObject([{ peer: LIAR }]);
  });

  it('does not wait for a knownAt above the block, or below its window: Z7 skips those', async () => {
    const far = { senders: [45], header: { knownAt: 2 ** 50 } };
    const sent = chunkWith([batchBytes(far), batchBytes()]);
    const { network, node } = await arriving([sent]);
    expect(await verdictsOn(network, node, blockOf(network, sent))).toEqual([[undefined, true]]);
    expect(node.offences).toEqual([]);
  });

  it('stops waiting when the chunk is gone', async () => {
    const { network, node } = await arriving([
      chunkWith([batchBytes({ senders: [45], header: { knownAt: 2 ** 50 } })]),
    ]);
    expect(node.dissemination.stats().batches).toMatchObject({ judging: 1, lagging: 1 });
    node.dissemination.expire(network.nowMs() + 100_000);
    expect(node.dissemination.stats().batches).toMatchObject({ judging: 0, lagging: 0 });
  });

  it('logs no error when it stops meanwhile', async () => {
    const logged: string[] = [];
    const telemetry: Telemetry = {
      ...silentTelemetry,
      log: (level, message) => void logged.push(`${level}: ${message}`),
    };
    const { network } = networkWithBatches({ telemetry });
    const node = network.node(2);
    const far = batchBytes({ senders: [45], header: { knownAt: 2 ** 50 } });
    void node.dissemination.onChunk(LIAR, frameOf(chunkWith([far])));
    await network.pass();
    expect(node.dissemination.stats().batches.lagging).toBe(1);
    node.dissemination.stop();
    await network.pass();
    expect(logged.filter((line) => line.startsWith('error'))).toEqual([]);
  });

  it('executes no block whose batch it can never judge: it rejects, and gives no false verdict', async () => {
    const joined = directoryUpTo(0);
    const { network } = networkWithBatches({
      directories: { [peerKey(2)]: { ...joined, viewFor: () => ({ kind: 'too-old' }) } },
    });
    const node = network.node(2);
    const sent = chunkWith([batchBytes()]);
    void node.dissemination.onChunk(LIAR, frameOf(sent));
    await network.pass();
    const made = blockOf(network, sent);
    await expect(node.dissemination.payloadOf(made.id, made.block, FOREVER)).rejects.toMatchObject({
      code: 'directory-unknown',
    });
    expect(node.offences).toEqual([]);
  });
});

describe('rows of a block (D24)', () => {
  const rows = (count: number) => batchBytes({ senders: Array.from({ length: count }, (_, i) => i) });

  it('are bounded by genesis: a payload above it is invalid, and no leader builds one', async () => {
    const sent = [1, 2, 3].map((sequence) => chunkWith([rows(38)], { sequence }));
    const { network, node } = await arriving(sent);
    expect(await build(network, node, network.genesisId, network.nowMs() + 1)).toHaveLength(2);
    expect(await check(network, node, blockOf(network, ...sent.slice(0, 2)), 20)).toBe('valid');
    expect(await check(network, node, blockOf(network, ...sent), 20)).toContain('its chunks hold 114 rows');
  });
});

function isAck(frame: Uint8Array): boolean {
  const decoded = decodeFrame(frame);
  return decoded.ok && decoded.value.name === 'chunkAck';
}
