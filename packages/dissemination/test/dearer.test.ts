/** What becomes of transactions that wait while prices rise. */
import type { Units } from '@slipstream/types';
import { expect, it } from 'vitest';
import { build, certify, idsOf, NOW_MS, submit } from './steps.ts';
import { block, createWorld, idOf, transaction, unitsOf } from './world.ts';

/** Prices that the test sets; as the node's rules, `haveFeesRisen` tells once. */
function priced() {
  let fee = 10n;
  let asked = fee;
  const rules = {
    unitsOf,
    feeOf: (_: Units): bigint => fee,
    haveFeesRisen() {
      const risen = fee > asked;
      asked = fee;
      return risen;
    },
  };
  const world = createWorld({ overrides: { rules } });
  const node = world.node(0);
  const commitEmpty = () => {
    const made = block({ parentId: world.genesisId, payload: [], timestampMs: NOW_MS });
    node.dissemination.committed(made.id, made.block, { executedIds: [], skipped: [] });
  };
  return {
    world,
    node,
    /** The next block finds this fee. */
    reprice(to: bigint) {
      fee = to;
      commitEmpty();
    },
  };
}

it('one that does not cover its fee any more is put aside at once, with the reason; others stay', async () => {
  const { world, node, reprice } = priced();
  const [low, high] = [transaction({ maxFee: 10n }), transaction({ maxFee: 11n })];
  await submit(world, node, low, high);
  reprice(11n);
  expect(node.dissemination.status(idOf(low))).toMatchObject({ status: 'dropped', reason: 'max-fee-too-low' });
  expect(node.dissemination.status(idOf(high))).toMatchObject({ status: 'pending' });
  expect(node.dissemination.stats().pool.transactions).toBe(1);
  await certify(world);
  expect(await idsOf(node, await build(world, node))).toEqual([idOf(high)]);
});

it('nothing is put aside while fees fall', async () => {
  const { world, node, reprice } = priced();
  const same = transaction({ maxFee: 10n });
  await submit(world, node, same);
  reprice(9n);
  reprice(10n);
  expect(node.dissemination.status(idOf(same))).toMatchObject({ status: 'pending' });
});

it('what a chunk holds already stays, for a block may have it in time', async () => {
  const { world, node, reprice } = priced();
  const packed = transaction({ maxFee: 10n });
  await submit(world, node, packed);
  await certify(world);
  reprice(11n);
  expect(node.dissemination.status(idOf(packed))).toMatchObject({ status: 'pending' });
  expect(await idsOf(node, await build(world, node))).toEqual([idOf(packed)]);
});

it('and the same bytes are taken in again once prices have fallen', async () => {
  const { world, node, reprice } = priced();
  const low = transaction({ maxFee: 10n });
  await submit(world, node, low);
  reprice(11n);
  reprice(10n);
  await submit(world, node, low);
  expect(node.dissemination.status(idOf(low))).toMatchObject({ status: 'pending' });
});
