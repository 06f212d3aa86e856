import type { Units } from '@slipstream/types';
import { expect, it } from 'vitest';
import { block, createTestNetwork, idOf, transaction, unitsOf } from '../harness/network.ts';
import { build, certify, idsOf, NOW_MS, submit } from '../harness/steps.ts';

/** As in the node's rules, `haveFeesRisen` reports a rise once. */
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
  const network = createTestNetwork({ overrides: { rules } });
  const node = network.node(0);
  const commitEmpty = () => {
    const made = block({ parentId: network.genesisId, payload: [], timestampMs: NOW_MS });
    node.dissemination.committed(made.id, made.block, { executedIds: [], skipped: [] });
  };
  return {
    network,
    node,
    /** From the next block on. */
    reprice(to: bigint) {
      fee = to;
      commitEmpty();
    },
  };
}

it('a transaction that no longer covers its fee is evicted at once, with the reason; others stay', async () => {
  const { network, node, reprice } = priced();
  const [low, high] = [transaction({ maxFee: 10n }), transaction({ maxFee: 11n })];
  await submit(network, node, low, high);
  reprice(11n);
  expect(node.dissemination.status(idOf(low))).toMatchObject({ status: 'dropped', reason: 'max-fee-too-low' });
  expect(node.dissemination.status(idOf(high))).toMatchObject({ status: 'pending' });
  expect(node.dissemination.stats().pool.transactions).toBe(1);
  await certify(network);
  expect(await idsOf(node, await build(network, node))).toEqual([idOf(high)]);
});

it('nothing is evicted while fees fall', async () => {
  const { network, node, reprice } = priced();
  const same = transaction({ maxFee: 10n });
  await submit(network, node, same);
  reprice(9n);
  reprice(10n);
  expect(node.dissemination.status(idOf(same))).toMatchObject({ status: 'pending' });
});

it('transactions already in a chunk stay, for a block may include them in time', async () => {
  const { network, node, reprice } = priced();
  const packed = transaction({ maxFee: 10n });
  await submit(network, node, packed);
  await certify(network);
  reprice(11n);
  expect(node.dissemination.status(idOf(packed))).toMatchObject({ status: 'attested' });
  expect(await idsOf(node, await build(network, node))).toEqual([idOf(packed)]);
});

it('and the same bytes are accepted again once prices have fallen', async () => {
  const { network, node, reprice } = priced();
  const low = transaction({ maxFee: 10n });
  await submit(network, node, low);
  reprice(11n);
  reprice(10n);
  await submit(network, node, low);
  expect(node.dissemination.status(idOf(low))).toMatchObject({ status: 'pending' });
});
