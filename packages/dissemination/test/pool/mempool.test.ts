import { decodeTransaction, hexOf } from '@slipstream/types';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FeeClass } from '../../src/pool/fee-class.ts';
import { createMempool } from '../../src/pool/mempool.ts';
import type { PoolTransaction } from '../../src/pool/pool-transaction.ts';
import { genesisCommittees } from '../harness/genesis-epochs.ts';
import { genesisOf, peerKey, transaction, unitsOf } from '../harness/network.ts';
import { START_MS } from '../harness/start-time.ts';

const LIMITS = {
  poolTransactionsMax: 8,
  poolBytesMax: 1_400,
  senderTransactionsMax: 4,
  senderUrgentMax: 2,
  peerTransactionsMax: 5,
  peerBytesMax: 1_000,
};

function newPool(limits: Partial<typeof LIMITS> = {}) {
  return createMempool({ ...LIMITS, ...limits }, genesisCommittees(genesisOf(3), 0));
}

interface EntryForm {
  readonly from?: number;
  readonly expiryMs?: number;
  readonly dataBytes?: number;
  readonly peer?: number;
  readonly feeClass?: FeeClass;
  readonly maxFee?: bigint;
}

function entry({ peer, feeClass = 'ordinary', ...rest }: EntryForm = {}): PoolTransaction {
  const decoded = decodeTransaction(transaction(rest));
  if (decoded.transaction === undefined) throw new Error('the builder made a malformed transaction');
  return {
    bytes: decoded.bytes,
    maxFee: decoded.transaction.body.maxFee,
    id: hexOf(decoded.id),
    sender: String(rest.from ?? 1),
    expiryMs: decoded.transaction.body.expiryMs,
    units: unitsOf(decoded.transaction, decoded.bytes.length),
    feeClass,
    peer: peer === undefined ? undefined : peerKey(peer),
    issuer: undefined,
    arrivedMs: 0,
  };
}

describe('the pool', () => {
  it('returns transactions in order of arrival', () => {
    const pool = newPool();
    const entries = [entry(), entry({ from: 2 }), entry()];
    for (const one of entries) expect(pool.add(one)).toBeUndefined();
    expect([...pool.entries()].map(({ id }) => id)).toEqual(entries.map(({ id }) => id));
  });

  it('rejects a new one when it is full, and keeps the others', () => {
    const pool = newPool({ poolTransactionsMax: 1 });
    const first = entry();
    pool.add(first);
    expect(pool.add(entry({ from: 2 }))).toBe('pool-full');
    expect(pool.has(first.id)).toBe(true);
  });

  it('rejects transactions above the maximum of a sender or of a peer', () => {
    const pool = newPool({ senderTransactionsMax: 1, peerTransactionsMax: 2 });
    expect(pool.add(entry({ peer: 0 }))).toBeUndefined();
    expect(pool.add(entry({ peer: 0 }))).toBe('sender-limit');
    expect(pool.add(entry({ from: 2, peer: 0 }))).toBeUndefined();
    expect(pool.add(entry({ from: 3, peer: 0 }))).toBe('peer-limit');
    expect(pool.add(entry({ from: 3, peer: 1 }))).toBeUndefined();
    expect(pool.add(entry({ from: 4 }))).toBeUndefined();
  });

  it('gives all peers outside the committee one share together, and each at most half of it', () => {
    const pool = newPool({
      poolTransactionsMax: 20,
      poolBytesMax: 1_000_000,
      peerTransactionsMax: 4,
      peerBytesMax: 1e6,
    });
    let sender = 0;
    const add = (peer: number) => pool.add(entry({ from: ++sender % 8, peer }));
    expect([add(7), add(7), add(7)]).toEqual([undefined, undefined, 'peer-limit']);
    expect([add(8), add(9), add(10)]).toEqual([undefined, undefined, 'peer-limit']);
    expect([add(0), add(0), add(0), add(0), add(0)]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      'peer-limit',
    ]);
    const [first] = pool.entries();
    pool.remove(first?.id ?? '');
    expect([add(10), add(11)]).toEqual([undefined, 'peer-limit']);
  });

  it('counts large transactions by their bytes: a thousand of one peer would fill it', () => {
    const pool = newPool({ poolBytesMax: 1_000_000, peerBytesMax: 1_400 });
    const large = { dataBytes: 500 };
    expect(pool.add(entry({ ...large, peer: 0 }))).toBeUndefined();
    expect(pool.add(entry({ ...large, peer: 0 }))).toBeUndefined();
    expect(pool.add(entry({ ...large, from: 2, peer: 0 }))).toBe('peer-limit');
    expect(pool.add(entry({ ...large, from: 2, peer: 7 }))).toBeUndefined();
    expect(pool.add(entry({ ...large, from: 2, peer: 7 }))).toBe('peer-limit');
  });

  it('holds a bounded number of urgent ones per sender: further ones are ordinary, and none is rejected', () => {
    const pool = newPool();
    const [first, second] = [entry({ feeClass: 'urgent' }), entry({ feeClass: 'urgent' })];
    const hasRoom = (sender: string) => pool.hasUrgentCapacity(sender, 5n, undefined);
    expect(hasRoom('1')).toBe(true);
    for (const one of [first, second]) pool.add(one);
    expect([hasRoom('1'), hasRoom('2')]).toEqual([false, true]);
    expect(pool.add(entry())).toBeUndefined();
    pool.remove(first.id);
    expect(hasRoom('1')).toBe(true);
  });

  it('counts a sender’s transactions as urgent as far as its balance covers them all together', () => {
    const pool = newPool({ senderUrgentMax: 10 });
    const one = entry({ feeClass: 'urgent', maxFee: 40n });
    pool.add(one);
    pool.add(entry({ maxFee: 1_000n }));
    expect(pool.hasUrgentCapacity('1', 60n, 100n)).toBe(true);
    expect(pool.hasUrgentCapacity('1', 61n, 100n)).toBe(false);
    expect(pool.hasUrgentCapacity('2', 61n, 100n)).toBe(true);
    pool.expire(one.expiryMs);
    expect(pool.hasUrgentCapacity('1', 100n, 100n)).toBe(true);
  });

  it('expires exactly the transactions that a block at the timestamp can no longer execute', () => {
    const pool = newPool();
    for (const expiryMs of [START_MS + 1, START_MS + 500, START_MS + 501, START_MS + 5_000]) {
      pool.add(entry({ expiryMs, from: expiryMs }));
    }
    expect(pool.expire(START_MS + 500).map(({ expiryMs }) => expiryMs - START_MS)).toEqual([1, 500]);
    expect(pool.count).toBe(2);
  });

  it('never exceeds a bound and never loses count, for any sequence', () => {
    const step = fc.oneof(
      fc.record({
        type: fc.constant('add' as const),
        from: fc.nat(3),
        peer: fc.option(fc.nat(2), { nil: undefined }),
        dataBytes: fc.nat(300),
        expiryMs: fc.nat(3_000).map((ms) => START_MS + ms),
      }),
      fc.record({ type: fc.constant('remove' as const), at: fc.nat(10) }),
      fc.record({ type: fc.constant('expire' as const), ms: fc.nat(3_000) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const pool = newPool();
        let expected: PoolTransaction[] = [];
        for (const one of steps) {
          if (one.type === 'add') {
            const { peer, ...form } = one;
            const made = entry({ ...form, ...(peer === undefined ? {} : { peer }) });
            if (pool.add(made) === undefined) expected.push(made);
          } else if (one.type === 'remove') {
            const victim = expected[one.at];
            if (victim) expect(pool.remove(victim.id)).toBe(victim);
            expected = expected.filter((other) => other !== victim);
          } else {
            pool.expire(START_MS + one.ms);
            expected = expected.filter(({ expiryMs }) => expiryMs > START_MS + one.ms);
          }
          expect([...pool.entries()]).toEqual(expected);
          expect(pool.bytes).toBe(expected.reduce((sum, { bytes }) => sum + bytes.length, 0));
          expect(pool.bytes).toBeLessThanOrEqual(LIMITS.poolBytesMax);
          expect(pool.count).toBeLessThanOrEqual(LIMITS.poolTransactionsMax);
          for (const key of ['sender', 'peer'] as const) {
            const max = key === 'sender' ? LIMITS.senderTransactionsMax : LIMITS.peerTransactionsMax;
            for (const name of expected.map((other) => other[key]).filter((value) => value !== undefined)) {
              expect(expected.filter((other) => other[key] === name).length).toBeLessThanOrEqual(max);
            }
          }
        }
      }),
    );
  });
});
