/** Transactions skipped for good leave the pool, or they would be packed for every block until they expire. */
import { decodeTransaction } from '@slipstream/types';
import { expect, it } from 'vitest';
import { block, createTestNetwork, idOf, transaction } from '../harness/network.ts';
import { build, idsOf, submit } from '../harness/steps.ts';

async function packedTimes(reason: 'session-spend-limit' | 'session-revoked' | 'session-unknown' | 'bad-signature') {
  const network = createTestNetwork();
  const node = network.node(0);
  const bytes = transaction();
  const { id } = decodeTransaction(bytes);
  await submit(network, node, bytes);
  let packed = 0;
  let parentId = network.genesisId;
  for (let height = 1; height <= 10; height++) {
    await network.pass(1_000);
    const payload = await build(network, node, parentId, network.nowMs());
    const isIn = (await idsOf(node, payload)).includes(idOf(bytes));
    if (isIn) packed += 1;
    const made = block({ parentId, payload, timestampMs: network.nowMs(), height });
    const outcome = { executedIds: [], skipped: isIn ? [{ id, reason }] : [] };
    for (const index of [0, 1, 2, 3]) network.node(index).dissemination.committed(made.id, made.block, outcome);
    parentId = made.id;
  }
  return { packed, status: node.dissemination.status(idOf(bytes)), clients: node.dissemination.stats().clients };
}

it.each(['session-spend-limit', 'session-revoked', 'session-unknown'] as const)(
  '%s ends a transaction',
  async (reason) => {
    const { packed, status, clients } = await packedTimes(reason);
    expect(packed).toBe(1);
    expect(status).toMatchObject({ status: 'dropped', reason });
    expect(clients.underWay).toBe(0);
  },
);

it('a bad signature in a chunk evicts nothing: the pool’s copy was verified', async () => {
  const { packed } = await packedTimes('bad-signature');
  expect(packed).toBeGreaterThan(1);
});
