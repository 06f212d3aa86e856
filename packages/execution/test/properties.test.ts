import { toHex } from '@slipstream/primitives';
import type { Action, FeeParameters, PreparedTransaction } from '@slipstream/types';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FREE_FEES, METERED_FEES } from '../src/index.ts';
import { account, chain, type Executed, genesis, setData, transaction, transfer } from './builders.ts';

const ACCOUNTS = 6;
const RICH = 3_000_000n;
const BALANCES = Object.fromEntries(Array.from({ length: ACCOUNTS }, (_, i) => [i, RICH]));

const number = fc.nat(ACCOUNTS + 2);
const amount = fc.oneof(fc.bigInt(0n, RICH), fc.bigInt(0n, 2n ** 64n - 1n), fc.constant(0n));
const action: fc.Arbitrary<Action> = fc.oneof(
  fc.tuple(number, amount).map(([to, value]) => transfer(to, value)),
  fc.array(fc.tuple(number, amount), { minLength: 1, maxLength: 5 }).map(
    (outputs) =>
      ({
        kind: 'transferMany',
        outputs: outputs.map(([to, value]) => ({ to: account(to), amount: value })),
      }) as const,
  ),
  fc.tuple(fc.constantFrom('a', 'b'), fc.constantFrom('', 'x', 'yy')).map(([name, value]) => setData(name, value)),
);
const packed: fc.Arbitrary<PreparedTransaction> = fc
  .record({
    from: fc.nat(ACCOUNTS - 1),
    actions: fc.array(action, { minLength: 1, maxLength: 4 }),
    maxFee: fc.constantFrom(0n, 1000n, 500_000n, 2n ** 64n - 1n),
    signatureValid: fc.constantFrom(true, true, true, false),
    salt: fc.nat(1000),
  })
  .map(transaction);
const block = fc.array(packed, { maxLength: 30 });
const fees: fc.Arbitrary<FeeParameters> = fc.constantFrom(FREE_FEES, METERED_FEES);

function textOf(run: Executed): string {
  const writes = run.batch.map(({ key, value }) => `${toHex(key)}=${value ? toHex(value) : 'deleted'}`);
  return [
    ...writes,
    ...run.receiptBytes.map(toHex),
    ...run.skipped.map(({ id, reason }) => `${toHex(id)} ${reason}`),
  ].join('\n');
}

describe('properties of execution', () => {
  it('conserves the sum of all balances, fees included', () => {
    fc.assert(
      fc.property(block, block, fees, (first, second, parameters) => {
        const start = chain(genesis(BALANCES, parameters));
        const supply = start.supply();
        start.execute(first);
        start.execute(second);
        expect(start.supply()).toBe(supply);
      }),
    );
  });

  it('gives the same bytes for the same block, every time', () => {
    fc.assert(
      fc.property(block, fees, (transactions, parameters) => {
        const once = chain(genesis(BALANCES, parameters)).execute(transactions);
        const again = chain(genesis(BALANCES, parameters)).execute(transactions);
        expect(textOf(again)).toBe(textOf(once));
      }),
    );
  });

  it('never writes a key twice, and never an unchanged value', () => {
    fc.assert(
      fc.property(block, fees, (transactions, parameters) => {
        const before = chain(genesis(BALANCES, parameters));
        const run = chain(genesis(BALANCES, parameters)).execute(transactions);
        const keys = run.batch.map(({ key }) => toHex(key));
        expect(new Set(keys).size).toBe(keys.length);
        for (const { key, value } of run.batch) if (value === undefined) expect(before.read(key)).toBeDefined();
      }),
    );
  });

  it('gives the same state as a block per transaction', () => {
    fc.assert(
      fc.property(block, (transactions) => {
        const whole = chain(genesis(BALANCES));
        const pieces = chain(genesis(BALANCES));
        whole.execute(transactions.map((one) => ({ epoch: 0, producer: 0, transactions: [one] })));
        for (const one of transactions) pieces.execute([one]);
        for (let i = 0; i < ACCOUNTS + 3; i++) expect(pieces.balance(i)).toBe(whole.balance(i));
      }),
    );
  });

  it('lets a failing transaction change nothing but its fee', () => {
    fc.assert(
      fc.property(fc.array(action, { minLength: 1, maxLength: 3 }), (actions) => {
        const start = chain(genesis(BALANCES, METERED_FEES));
        const failing = transaction({ actions: [...actions, transfer(1, 2n ** 64n - 1n)], maxFee: 1_000_000n });
        const run = start.execute([failing]);
        const fee = run.receipts[0]?.fee ?? 0n;
        expect(start.balance(1)).toBe(RICH - fee);
        expect(start.balance(1000)).toBe(fee);
        expect(run.batch.filter(({ key }) => key[0] !== 0x73)).toHaveLength(fee === 0n ? 0 : 2);
      }),
    );
  });

  it('gives the same state in any order when no two transactions share a key', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([0, 2, 4], { minLength: 3 }), (order) => {
        const transactions = [0, 2, 4].map((from) =>
          transaction({ from, salt: from, actions: [transfer(from + 1, 5n)] }),
        );
        const straight = chain(genesis(BALANCES));
        const shuffled = chain(genesis(BALANCES));
        straight.execute(transactions);
        const run = shuffled.execute(order.map((from) => transactions[from / 2] as PreparedTransaction));
        expect(run.stats.conflictFreeShare).toBe(1);
        for (let i = 0; i < ACCOUNTS; i++) expect(shuffled.balance(i)).toBe(straight.balance(i));
      }),
    );
  });
});
