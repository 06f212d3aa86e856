import type { ChunkReference, Hex, TransactionId } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import type { AckMode } from '../src/index.ts';
import {
  accountOf,
  block,
  createTestNetwork,
  idOf,
  type Node,
  peerKey,
  type TestNetwork,
  transaction,
} from './harness/network.ts';
import { build, check, submit } from './harness/steps.ts';

const PRODUCER = 0;
const BYTES_LIFE_MS = 30_000;

/** Which node the client asks. The chunk is made by member 0, to which member 1 forwards. */
const ASKED = {
  'the validator that packs it': (network: TestNetwork) => network.node(PRODUCER),
  'the validator that took it in': (network: TestNetwork) => network.node(1),
  'another validator': (network: TestNetwork) => network.node(2),
  'a full node': (network: TestNetwork) => network.fullNode,
} as const;

interface Life {
  readonly network: TestNetwork;
  readonly id: Hex<TransactionId>;
  /** A block with the chunk and its certificate. */
  readonly made: ReturnType<typeof block>;
  /** The same without the certificate. */
  readonly bare: ReturnType<typeof block>;
}

type Stage = 'before it is submitted' | 'while its chunk has no certificate' | 'once its chunk is certified';

/** Certificates leave the producer only in the stage that says so. */
async function lifeUntil(acks: AckMode, stage: Stage, wait: (network: TestNetwork, id: string) => void): Promise<Life> {
  const network = createTestNetwork({ acks, limits: { certificateDeferMs: 60_000 } });
  // The first chunk asks for acks in any mode.
  await submit(network, network.node(PRODUCER), transaction());
  await network.pass(500);
  const bytes = transaction({ from: accountOf(PRODUCER), expiryMs: network.nowMs() + BYTES_LIFE_MS });
  const id = idOf(bytes) as Hex<TransactionId>;
  if (stage === 'before it is submitted') wait(network, id);
  // Acks are lost, so the chunk is everywhere and has no certificate.
  for (const index of [1, 2, 3]) network.lose(peerKey(index), peerKey(PRODUCER));
  void network.node(PRODUCER).dissemination.submit(bytes);
  void network.node(1).dissemination.submit(bytes);
  await network.pass(200);
  if (stage === 'while its chunk has no certificate') wait(network, id);
  network.heal();
  await network.pass(2_000);
  const parentId = network.genesisId;
  const holdsIt = ({ chunkId }: ChunkReference) => network.node(2).dissemination.idsOf(chunkId).includes(id);
  const payload = (await build(network, network.node(PRODUCER))).filter(holdsIt);
  expect(payload.map(({ certificate }) => certificate !== undefined)).toEqual([true]);
  const without = payload.map(({ chunkId }) => ({ chunkId, certificate: undefined }));
  return { network, id, made: block({ parentId, payload }), bare: block({ parentId, payload: without }) };
}

const reports = ({ attested }: Node, id: string) =>
  attested.filter(({ transactionIds }) => transactionIds.includes(id as never)).length;

const MODES = ['always', 'on-demand'] as const;
const CASES = MODES.flatMap((acks) => Object.entries(ASKED).map(([asked, nodeIn]) => [asked, acks, nodeIn] as const));

describe.each(CASES)('a client of %s, with acks %s,', (_, acks, nodeIn) => {
  it.each(['before it is submitted', 'while its chunk has no certificate', 'once its chunk is certified'] as const)(
    'that waits %s receives attested when its chunk is certified (D13)',
    async (stage) => {
      const wait = (network: TestNetwork, id: string) => nodeIn(network).dissemination.awaitAttestation(id, true);
      const { network, id } = await lifeUntil(acks, stage, wait);
      const node = nodeIn(network);
      if (stage === 'once its chunk is certified') wait(network, id);
      await network.pass(10);
      expect(reports(node, id)).toBe(1);
      expect(node.dissemination.status(id)).toMatchObject({ status: 'attested' });
    },
  );

  it('that waits for nothing receives attested when a block with the certificate is checked', async () => {
    const { network, id, made } = await lifeUntil(acks, 'once its chunk is certified', () => {});
    const node = nodeIn(network);
    expect(await check(network, node, made, 10)).toBe('valid');
    expect(reports(node, id)).toBe(1);
  });

  it('that waits for nothing receives attested when a block without the certificate is notarized, once (D12)', async () => {
    const { network, id, bare } = await lifeUntil(acks, 'once its chunk is certified', () => {});
    const node = nodeIn(network);
    const isChecker = node === network.node(PRODUCER) || node === network.fullNode;
    expect(await check(network, node, bare, 10)).toBe('valid');
    expect(reports(node, id)).toBe(isChecker ? 1 : 0);
    node.dissemination.notarized(bare.id);
    node.dissemination.notarized(bare.id);
    expect(reports(node, id)).toBe(1);
    expect(node.dissemination.status(id)).toMatchObject({ status: 'attested' });
  });
});

describe('a notarization', () => {
  it('that comes before its block attests the block’s chunks once it is known', async () => {
    const { network, id, bare } = await lifeUntil('always', 'once its chunk is certified', () => {});
    const node = network.node(2);
    node.dissemination.notarized(bare.id);
    expect(reports(node, id)).toBe(0);
    node.dissemination.trackBlock(bare.id, bare.block);
    expect(reports(node, id)).toBe(1);
  });

  it('attests a chunk that comes after it', async () => {
    const network = createTestNetwork({ limits: { certificateDeferMs: 60_000 } });
    network.cut(peerKey(PRODUCER), network.fullNode.peer);
    const bytes = transaction({ from: accountOf(PRODUCER) });
    await submit(network, network.node(PRODUCER), bytes);
    await network.pass(150);
    const made = block({ parentId: network.genesisId, payload: await build(network, network.node(PRODUCER)) });
    const node = network.fullNode;
    node.dissemination.trackBlock(made.id, made.block);
    node.dissemination.notarized(made.id);
    expect(reports(node, idOf(bytes))).toBe(0);
    const executed = node.dissemination.payloadOf(made.id, made.block, new AbortController().signal);
    await network.pass(1_000);
    await executed;
    expect(reports(node, idOf(bytes))).toBe(1);
  });
});

it('a transaction that only a chunk has here is pending, and unknown without', async () => {
  const network = createTestNetwork({ limits: { certificateDeferMs: 60_000 } });
  const bytes = transaction({ from: accountOf(PRODUCER) });
  const { dissemination } = network.node(2);
  expect(dissemination.status(idOf(bytes))).toEqual({ status: 'unknown' });
  await submit(network, network.node(PRODUCER), bytes);
  await network.pass(150);
  expect(dissemination.status(idOf(bytes))).toEqual({ status: 'pending' });
});
