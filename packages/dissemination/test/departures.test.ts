/** What execution skips for good leaves the pool: it would be packed again for every block until it expires. */
import { decodeTransaction } from '@slipstream/types';
import { expect, it } from 'vitest';
import { build, idsOf, submit } from './steps.ts';
import { block, createWorld, idOf, transaction } from './world.ts';

async function packedTimes(reason: 'session-spend-limit' | 'session-revoked' | 'session-unknown' | 'bad-signature') {
  const world = createWorld();
  const node = world.node(0);
  const bytes = transaction();
  const { id } = decodeTransaction(bytes);
  await submit(world, node, bytes);
  let packed = 0;
  let parentId = world.genesisId;
  for (let height = 1; height <= 10; height++) {
    await world.pass(1_000);
    const payload = await build(world, node, parentId, world.nowMs());
    const isIn = (await idsOf(node, payload)).includes(idOf(bytes));
    if (isIn) packed += 1;
    const made = block({ parentId, payload, timestampMs: world.nowMs(), height });
    const outcome = { executedIds: [], skipped: isIn ? [{ id, reason }] : [] };
    for (const index of [0, 1, 2, 3]) world.node(index).dissemination.committed(made.id, made.block, outcome);
    parentId = made.id;
  }
  return { packed, status: node.dissemination.status(idOf(bytes)), clients: node.dissemination.stats().clients };
}

it.each(['session-spend-limit', 'session-revoked', 'session-unknown'] as const)('%s is an end', async (reason) => {
  const { packed, status, clients } = await packedTimes(reason);
  expect(packed).toBe(1);
  expect(status).toMatchObject({ status: 'dropped', reason });
  expect(clients.underWay).toBe(0);
});

it('a bad signature in a chunk is none: the pool’s copy was verified', async () => {
  const { packed } = await packedTimes('bad-signature');
  expect(packed).toBeGreaterThan(1);
});
