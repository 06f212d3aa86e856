import type { PeerKey } from '@slipstream/ports';
import { encodeFrame, idFromHex, type TransactionId } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { block, createTestNetwork, FULL_NODE, idOf, peerKey, transaction, unitsOf } from '../harness/network.ts';

const DOUBT_MS = 600_000;

/** Each sender owns 10; counts state lookups. */
function poorWorld({ isUrgent = false } = {}) {
  let asked = 0;
  const rules = {
    unitsOf,
    feeOf: () => 5n,
    ...(isUrgent && { urgentMaxFee: () => 6n }),
    balancesOf: async (of: readonly unknown[]) => {
      asked += 1;
      return of.map(() => 10n);
    },
  };
  const network = createTestNetwork({ overrides: { rules } });
  const node = network.node(0);
  const forward = async (from: PeerKey, ...transactions: readonly Uint8Array[]) => {
    const before = asked;
    await Promise.all([
      node.dissemination.onTransactions(from, encodeFrame('transactions', { transactions, awaited: [] })),
      network.pass(10),
    ]);
    return { asked: asked - before, pool: node.dissemination.stats().pool.transactions };
  };
  const skip = (bytes: Uint8Array, reason: 'fee-not-covered' | 'max-fee-too-low') => {
    const made = block({ parentId: network.genesisId, payload: [], timestampMs: network.nowMs() });
    const skipped = [{ id: idFromHex<TransactionId>(idOf(bytes)), reason }];
    node.dissemination.committed(made.id, made.block, { executedIds: [], skipped });
  };
  return { network, forward, skip };
}

describe('a forwarded transaction', () => {
  it('is accepted without a balance check from a validator, not from a full node', async () => {
    const { forward } = poorWorld();
    expect(await forward(peerKey(1), transaction({ maxFee: 11n }))).toEqual({ asked: 0, pool: 1 });
    expect(await forward(FULL_NODE, transaction({ maxFee: 11n }))).toEqual({ asked: 1, pool: 1 });
    expect(await forward(FULL_NODE, transaction({ maxFee: 9n }))).toEqual({ asked: 1, pool: 2 });
  });

  it('is checked for a while after a block skipped one from that validator that its sender could not pay', async () => {
    const { network, forward, skip } = poorWorld();
    const [poor, dear] = [transaction({ maxFee: 11n }), transaction({ maxFee: 11n })];
    await forward(peerKey(1), poor, dear);
    skip(dear, 'max-fee-too-low');
    expect(await forward(peerKey(1), transaction({ maxFee: 11n }))).toEqual({ asked: 0, pool: 2 });
    skip(poor, 'fee-not-covered');
    expect(await forward(peerKey(1), transaction({ maxFee: 11n }))).toEqual({ asked: 1, pool: 1 });
    expect(await forward(peerKey(2), transaction({ maxFee: 11n }))).toEqual({ asked: 0, pool: 2 });
    await network.pass(DOUBT_MS);
    expect((await forward(peerKey(1), transaction({ maxFee: 11n }))).asked).toBe(0);
  });

  it('is checked when it is urgent: the share of such a sender in a chunk depends on the balance', async () => {
    const { forward } = poorWorld({ isUrgent: true });
    expect(await forward(peerKey(1), transaction({ maxFee: 11n }))).toEqual({ asked: 1, pool: 0 });
    expect(await forward(peerKey(1), transaction({ maxFee: 5n }))).toEqual({ asked: 0, pool: 1 });
  });
});
