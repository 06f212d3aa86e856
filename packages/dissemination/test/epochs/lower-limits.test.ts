/** Limits of a block that fall at a boundary, while pools and chunks hold what the new ones refuse. */
import { describe, expect, it } from 'vitest';
import {
  accountOf,
  block,
  createTestNetwork,
  idOf,
  peerKey,
  type TestNetwork,
  transaction,
} from '../harness/network.ts';
import { certify, submit } from '../harness/steps.ts';
import { headersBy } from '../harness/two-epochs.ts';

const NODES = [0, 1, 2, 3] as const;
/** Of the second epoch. */
const BANDWIDTH_MAX = 1_000;
const large = () => transaction({ from: accountOf(0), dataBytes: 2_000 });
const small = () => transaction({ from: accountOf(0) });

function createNetwork(): TestNetwork {
  return createTestNetwork({
    committees: [[...NODES], [...NODES]],
    unitLimits: [undefined, [BANDWIDTH_MAX, 100, 100, 100, 100]],
  });
}

function sealAll(network: TestNetwork): void {
  for (const number of NODES) network.node(number).seal();
}

async function moveAll(network: TestNetwork): Promise<void> {
  for (const number of NODES) network.node(number).move();
  await network.pass();
}

describe('limits that fall at a boundary', () => {
  it('refuse a transaction from the seal on, by name', async () => {
    const network = createNetwork();
    const [node, bytes] = [network.node(0), large()];
    sealAll(network);
    const results = node.dissemination.submitMany([bytes, small()]);
    await network.pass(2);
    const [refused, taken] = await results;
    expect(refused).toMatchObject({ type: 'rejected', reason: 'over-limit', retryAfterMs: undefined });
    expect(taken).toMatchObject({ type: 'accepted' });
  });

  it('drop from the pool what no chunk may hold any more, say why, and hold nothing else back', async () => {
    const network = createNetwork();
    const [node, over, within] = [network.node(0), large(), small()];
    await submit(network, node, over, within);
    sealAll(network);
    await moveAll(network);
    expect(node.dissemination.status(idOf(over))).toMatchObject({ status: 'dropped', reason: 'over-limit' });
    await network.pass(100);
    const { epoch, transactionCount } = headersBy(node).at(-1) ?? {};
    expect([epoch, transactionCount]).toEqual([1, 1]);
    expect(node.dissemination.stats().clients.underWay).toBe(1);
  });

  it('leave what a certified chunk of the epoch before holds: a block may take it', async () => {
    const network = createNetwork();
    const [node, bytes] = [network.node(0), large()];
    await submit(network, node, bytes);
    await certify(network);
    sealAll(network);
    await moveAll(network);
    expect(node.dissemination.status(idOf(bytes)).status).not.toBe('dropped');
  });

  it('drop what an uncertified chunk of the epoch before holds once that chunk is abandoned', async () => {
    const network = createNetwork();
    const [node, bytes] = [network.node(0), large()];
    for (const other of [1, 2, 3]) network.cut(peerKey(0), peerKey(other));
    await submit(network, node, bytes);
    await certify(network);
    sealAll(network);
    await moveAll(network);
    const commit = (height: number) => {
      const made = block({ parentId: network.genesisId, payload: [], height });
      node.dissemination.committed(made.id, made.block, { executedIds: [], skipped: [] });
    };
    commit(1);
    expect(node.dissemination.status(idOf(bytes)).status).not.toBe('dropped');
    await network.pass(1_000);
    commit(2);
    expect(node.dissemination.status(idOf(bytes))).toMatchObject({ status: 'dropped', reason: 'over-limit' });
  });
});
