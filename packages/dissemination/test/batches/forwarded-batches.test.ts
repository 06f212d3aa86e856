/** Batches of a broker at a full node, on their way to a producer (D27 to D29). */
import type { PeerKey } from '@slipstream/primitives';
import { decodeFrame, encodeFrame, type FrameName } from '@slipstream/types';
import { expect, test } from 'vitest';
import { batchBytes, batchIdIn, HEIGHT, networkWithBatches } from '../harness/batches.ts';
import { block, FULL_NODE, type Node, peerKey, type TestNetwork } from '../harness/network.ts';

const fromFullNode = (form: Parameters<typeof batchBytes>[0] = {}) =>
  batchBytes({ ...form, header: { broker: FULL_NODE, ...form.header } });

function frames(node: Node, name: FrameName) {
  return node.sent.flatMap(({ to, frame }) => {
    const decoded = decodeFrame(frame);
    return decoded.ok && decoded.value.name === name ? [{ to, frame }] : [];
  });
}

const producersAsked = (network: TestNetwork) => frames(network.fullNode, 'batchOffer').map(({ to }) => to);

async function offered(network: TestNetwork, bytes: Uint8Array, ms = 0) {
  const result = network.fullNode.dissemination.offerBatch(bytes, FULL_NODE);
  await network.pass(ms);
  return result;
}

function ran(node: Node, network: TestNetwork, at: number, bytes: Uint8Array, charged: number) {
  const made = block({ parentId: network.genesisId, payload: [], height: HEIGHT + at });
  const batches = [{ id: batchIdIn(bytes), rows: 3, charged }];
  node.dissemination.committed(made.id, made.block, { executedIds: [], skipped: [], batches });
}

/** To the first producer. */
async function offeredBy(broker: PeerKey, network: TestNetwork) {
  const bytes = batchBytes({ header: { broker } });
  const result = network.node(0).dissemination.offerBatch(bytes, broker);
  await network.pass();
  const { type, reason } = { reason: undefined, ...(await result) };
  return { bytes, answer: reason ?? type };
}

const waitingAt = (network: TestNetwork) =>
  [0, 1, 2, 3].filter((index) => network.node(index).dissemination.stats().batches.waiting > 0);

/** A broker's work when it is charged for the first time, at eight per second. */
const CHARGED_MS = 19_000;
const QUIET = { chunkDelayMs: 60_000 };

test('a batch of a full node is judged, accepted and packed by one producer; the next goes to another', async () => {
  const { network } = networkWithBatches({ limits: QUIET });
  expect(await offered(network, fromFullNode())).toMatchObject({ type: 'accepted' });
  expect(await offered(network, fromFullNode())).toMatchObject({ type: 'accepted' });
  expect(waitingAt(network)).toHaveLength(2);
  expect(new Set(producersAsked(network)).size).toBe(2);
});

test('a producer that answers nothing, or is lost before it answers, is passed over (D29)', async () => {
  const { network } = networkWithBatches({ limits: QUIET });
  network.lose(FULL_NODE, peerKey(0));
  expect(await offered(network, fromFullNode(), 4_000)).toMatchObject({ type: 'accepted' });
  expect(producersAsked(network)).toEqual([peerKey(0), peerKey(1)]);
  network.heal();
  network.lose(FULL_NODE, peerKey(2));
  const next = network.fullNode.dissemination.offerBatch(fromFullNode(), FULL_NODE);
  await network.pass(100);
  network.cut(FULL_NODE, peerKey(2));
  await network.pass(1_000);
  expect(await next).toMatchObject({ type: 'accepted' });
  const [first, second, ...more] = producersAsked(network).slice(2);
  expect([first, more]).toEqual([peerKey(2), []]);
  expect([peerKey(1), peerKey(3)]).toContain(second);
});

test('a batch that no block runs in time goes to the next producer, three in all, until one ran it (D29)', async () => {
  const { network } = networkWithBatches({ limits: QUIET });
  const [lost, found] = [fromFullNode(), fromFullNode()];
  await offered(network, lost);
  await network.pass(30_000);
  expect(new Set(producersAsked(network)).size).toBe(3);
  expect(producersAsked(network)).toHaveLength(3);
  await offered(network, found);
  ran(network.fullNode, network, 1, found, 3);
  await network.pass(30_000);
  expect(producersAsked(network)).toHaveLength(4);
});

test('a batch goes to another producer when the one that accepted it is lost', async () => {
  const { network } = networkWithBatches({ limits: QUIET });
  await offered(network, fromFullNode());
  network.cut(FULL_NODE, peerKey(0));
  await network.pass(1_000);
  expect(producersAsked(network)).toEqual([peerKey(0), peerKey(2)]);
});

test('one producer that refuses for good is not believed, three are', async () => {
  const { network } = networkWithBatches({ limits: QUIET });
  const own = fromFullNode();
  const result = network.fullNode.dissemination.offerBatch(own, FULL_NODE);
  const [first] = frames(network.fullNode, 'batchOffer');
  const sent = first && decodeFrame(first.frame);
  const offerId = sent?.ok && sent.value.name === 'batchOffer' ? sent.value.value.offerId : -1;
  const answer = encodeFrame('batchAnswer', { offerId, refusal: 'bad-signature', retryAfterMs: 0 });
  // Another peer's answer counts for nothing.
  network.fullNode.dissemination.onBatchAnswer(peerKey(3), answer);
  network.fullNode.dissemination.onBatchAnswer(peerKey(0), answer);
  await network.pass();
  expect(await result).toMatchObject({ type: 'accepted' });
  const refused = await offered(network, fromFullNode({ falseAggregate: true }));
  expect(refused).toMatchObject({ type: 'rejected', reason: 'bad-signature', retryAfterMs: undefined });
  expect(network.fullNode.offences).toEqual([]);
});

test('a producer that names a long time to come back delays its broker no longer than the others do', async () => {
  const { network } = networkWithBatches({ limits: QUIET });
  for (const index of [0, 1, 2, 3]) network.lose(FULL_NODE, peerKey(index));
  const { dissemination } = network.fullNode;
  const result = dissemination.offerBatch(fromFullNode(), FULL_NODE);
  for (const retryAfterMs of [60_000, 900, 30_000]) {
    const { to, frame } = frames(network.fullNode, 'batchOffer').at(-1) as { to: typeof FULL_NODE; frame: Uint8Array };
    const sent = decodeFrame(frame);
    const offerId = sent.ok && sent.value.name === 'batchOffer' ? sent.value.value.offerId : -1;
    dissemination.onBatchAnswer(to, encodeFrame('batchAnswer', { offerId, refusal: 'queue-full', retryAfterMs }));
    await network.pass();
  }
  expect(await result).toMatchObject({ type: 'rejected', reason: 'queue-full', retryAfterMs: 900 });
});

test('without a producer a batch is refused for now, and a broker learns that none is reached', async () => {
  const { network } = networkWithBatches();
  const { dissemination } = network.fullNode;
  expect(dissemination.reachesProducer()).toBe(true);
  for (const index of [0, 1, 2, 3]) network.cut(FULL_NODE, peerKey(index));
  expect(dissemination.reachesProducer()).toBe(false);
  const result = await offered(network, fromFullNode());
  expect(result).toMatchObject({ type: 'rejected', reason: 'no-producer', retryAfterMs: expect.any(Number) });
});

test('a frame that does not decode is an offence, and a false batch or one of another broker costs quotas alone (D27)', async () => {
  const { network } = networkWithBatches({ limits: QUIET });
  const { dissemination, offences } = network.node(0);
  const offer = async (batch: Uint8Array) => {
    void dissemination.onBatchOffer(FULL_NODE, encodeFrame('batchOffer', { offerId: 1, batch }));
    await network.pass();
  };
  await offer(batchBytes());
  await offer(new Uint8Array(9));
  await offer(fromFullNode({ falseAggregate: true }));
  await offer(fromFullNode());
  expect(offences).toEqual([]);
  const refusals = frames(network.node(0), 'batchAnswer').map(({ frame }) => {
    const decoded = decodeFrame(frame);
    return decoded.ok && decoded.value.name === 'batchAnswer' ? decoded.value.value.refusal : undefined;
  });
  expect(refusals).toEqual(['not-its-broker', 'malformed', 'bad-signature', 'verification-limit']);
  void dissemination.onBatchOffer(FULL_NODE, Uint8Array.of(13, 1, 2));
  dissemination.onBatchAnswer(FULL_NODE, Uint8Array.of(14, 1, 2));
  await network.pass();
  expect(offences).toMatchObject([{ reason: 'malformed-frame' }, { reason: 'malformed-frame' }]);
});

test('a broker whose batches pay nothing is charged as for false ones; one whose batches pay has a rate of its own (D28)', async () => {
  const { network } = networkWithBatches({ limits: QUIET });
  const node = network.node(0);
  const [payer, idler] = [peerKey(50), peerKey(51)];
  const offerOf = (broker: PeerKey) => offeredBy(broker, network);
  const [first, second] = [await offerOf(payer), await offerOf(idler)];
  ran(node, network, 1, first.bytes, 2);
  ran(node, network, 2, second.bytes, 1);
  expect((await offerOf(idler)).answer).toBe('verification-limit');
  // Strangers use up what they share.
  for (let i = 0; i < 300; i++) await node.dissemination.offerBatch(new Uint8Array(), peerKey(100 + i));
  expect((await offerOf(peerKey(52))).answer).toBe('verification-limit');
  expect((await offerOf(payer)).answer).toBe('accepted');
});

test('a charge is for all batches that were taken before it, and not for those after it (D28)', async () => {
  const { network } = networkWithBatches({ limits: QUIET });
  const node = network.node(0);
  const broker = peerKey(51);
  const underWay = [];
  for (let i = 0; i < 5; i++) underWay.push((await offeredBy(broker, network)).bytes);
  for (const [i, bytes] of underWay.entries()) ran(node, network, 1 + i, bytes, 0);
  expect((await offeredBy(broker, network)).answer).toBe('verification-limit');
  await network.pass(CHARGED_MS);
  const later = await offeredBy(broker, network);
  expect(later.answer).toBe('accepted');
  ran(node, network, 6, later.bytes, 0);
  expect((await offeredBy(broker, network)).answer).toBe('verification-limit');
});

test('however many batches a broker has under way, less than four per second pay nothing (D28)', async () => {
  const { network } = networkWithBatches({ limits: { ...QUIET, brokerBatchesMax: 1_000 } });
  const node = network.node(0);
  let taken = 0;
  const seconds = 60;
  for (let at = 1; at <= seconds; at++) {
    const unpaid = [];
    for (let i = 0; i < 80; i++) {
      const { bytes, answer } = await offeredBy(peerKey(51), network);
      if (answer === 'accepted') unpaid.push(bytes);
    }
    taken += unpaid.length;
    for (const bytes of unpaid) ran(node, network, at, bytes, 0);
    await network.pass(1_000);
  }
  expect(taken).toBeGreaterThan(0);
  expect(taken).toBeLessThan(4 * seconds);
});

test('a broker whose batch paid loses its rate by the next one that does not, charged or not (D28)', async () => {
  const { network } = networkWithBatches({ limits: QUIET });
  const node = network.node(0);
  const broker = peerKey(51);
  const taken = [];
  for (let i = 0; i < 4; i++) taken.push((await offeredBy(broker, network)).bytes);
  for (const [i, charged] of [0, 3, 3, 0].entries()) ran(node, network, 1 + i, taken[i] as Uint8Array, charged);
  await network.pass(CHARGED_MS);
  for (let i = 0; i < 500; i++) await node.dissemination.offerBatch(new Uint8Array(), peerKey(100 + i));
  expect((await offeredBy(broker, network)).answer).toBe('verification-limit');
});

test('half of the room is for the broker of the producer itself (D26)', async () => {
  const { network } = networkWithBatches({ limits: { ...QUIET, batchesMax: 4 } });
  const node = network.node(0);
  const answers: string[] = [];
  for (const broker of [50, 51, 52].map(peerKey).concat(node.peer, node.peer, node.peer)) {
    const result = node.dissemination.offerBatch(batchBytes({ header: { broker } }), broker);
    await network.pass();
    const given = await result;
    answers.push(given.type === 'rejected' ? given.reason : given.type);
  }
  expect(answers).toEqual(['accepted', 'accepted', 'queue-full', 'accepted', 'accepted', 'queue-full']);
});
