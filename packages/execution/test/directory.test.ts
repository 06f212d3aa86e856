/** The account directory against a plain model: lists of entries, balances in a map, whole trees. */
import {
  type Action,
  type DistilledParameters,
  directoryLeaf,
  type Genesis,
  merkleRoot,
  type PreparedTransaction,
  registrationsInOutput,
  verifyMerklePath,
} from '@slipstream/types';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  accountStateKey,
  decodeAccount,
  directoryPath,
  directoryPathKeys,
  type ExecutedBlock,
  executeBlock,
  METERED_FEES,
  readDirectory,
  type Write,
  writesOf,
} from '../src/index.ts';
import { account, blockOn, type Chain, chain, genesis, transaction, transfer } from './builders.ts';

const ACCOUNTS = 5;
const RICH = 10n ** 9n;
const BALANCES = Object.fromEntries(Array.from({ length: ACCOUNTS }, (_, i) => [i, RICH]));
const BOUNDS: DistilledParameters = { accountsMax: 40, rowsPerBlock: 1, registrationsPerBlock: 6 };

const withDirectory = (bounds: Partial<DistilledParameters> = {}, balances = BALANCES): Genesis => ({
  ...genesis(balances),
  distilled: { ...BOUNDS, ...bounds },
});

const keyOf = (fill: number) => new Uint8Array(96).fill(fill);
const register = (fill: number): Action => ({ kind: 'register', blsKey: keyOf(fill), proof: new Uint8Array(96) });
const registering = (from: number, ...fills: readonly number[]): PreparedTransaction =>
  transaction({ from, actions: fills.map(register) });

const accountOf = ({ read }: Pick<Chain, 'read'>, number: number) =>
  decodeAccount(read(accountStateKey(account(number)).bytes));
const leavesOf = ({ read }: Pick<Chain, 'read'>): readonly Uint8Array[] => {
  const directory = readDirectory(read);
  return Array.from({ length: directory?.size ?? 0 }, (_, i) => {
    const entry = directory?.entry(i);
    if (entry === undefined) throw new Error(`no entry ${i}`);
    return directoryLeaf(i, entry);
  });
};
const outcomesOf = ({ receipts }: Pick<ExecutedBlock, 'receipts'>) =>
  receipts.map(({ outcome }) => (outcome.status === 'success' ? 'success' : outcome.code));

interface Step {
  readonly from: number;
  readonly to: number;
  /** Registered keys, between the two halves of what is sent. */
  readonly fills: readonly number[];
  /** Of what the sender has, in percent: above 100 it fails. */
  readonly percent: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  from: fc.nat(ACCOUNTS - 1),
  to: fc.nat(ACCOUNTS),
  fills: fc.array(fc.nat(255), { maxLength: 3 }),
  percent: fc.constantFrom(0, 30, 100, 100, 101),
});
const blocks = fc.array(fc.array(step, { maxLength: 8 }), { maxLength: 8 });

/** The plain model. */
class Model {
  readonly entries: { readonly number: number; readonly fill: number }[] = [];
  readonly balances = new Map<number, bigint>(
    Object.entries(BALANCES).map(([number, value]) => [Number(number), value]),
  );

  balance(number: number): bigint {
    return this.balances.get(number) ?? 0n;
  }

  /** Returns the expected outcome. */
  take({ from, to, fills }: Step, amount: bigint, before: number): string {
    for (let i = 0; i < fills.length; i++) {
      const size = this.entries.length + i;
      if (size >= BOUNDS.accountsMax) return 'directory-full';
      if (size - before >= BOUNDS.registrationsPerBlock) return 'registration-limit';
    }
    if (amount > this.balance(from)) return 'insufficient-balance';
    for (const fill of fills) this.entries.push({ number: from, fill });
    if (from !== to) {
      this.balances.set(from, this.balance(from) - amount);
      this.balances.set(to, this.balance(to) + amount);
    }
    return 'success';
  }

  newest(number: number): number | undefined {
    const at = this.entries.findLastIndex((entry) => entry.number === number);
    return at < 0 ? undefined : at;
  }
}

function actionsOf({ to, fills }: Step, amount: bigint): readonly Action[] {
  return [...fills.map(register), transfer(to, amount)];
}

/** Executes a block on the state of `on` and throws the result away. */
function executeRival(on: Chain, transactions: readonly PreparedTransaction[]): readonly Write[] {
  return writesOf(executeBlock(blockOn(on, [{ epoch: 0, producer: 0, transactions }])).batch);
}

describe('the account directory', () => {
  it('is that of the model after each block, whatever rivals were executed on the way', () => {
    fc.assert(
      fc.property(blocks, fc.array(step, { maxLength: 4 }), (all, rival) => {
        const real = chain(withDirectory());
        const model = new Model();
        for (const steps of all) {
          executeRival(
            real,
            rival.map((each) => transaction({ from: each.from, actions: actionsOf(each, 1n) })),
          );
          const before = model.entries.length;
          const expected: string[] = [];
          const transactions = steps.map((each) => {
            const amount = (model.balance(each.from) * BigInt(each.percent)) / 100n + (each.percent > 100 ? 1n : 0n);
            expected.push(model.take(each, amount, before));
            return transaction({ from: each.from, actions: actionsOf(each, amount) });
          });
          const run = real.execute(transactions);
          expect(outcomesOf(run)).toEqual(expected);
          const leaves = leavesOf(real);
          expect(leaves).toEqual(
            model.entries.map(({ number, fill }, i) =>
              directoryLeaf(i, { account: account(number), blsKey: keyOf(fill) }),
            ),
          );
          expect(run.distilled).toEqual({
            batchesRoot: merkleRoot([]),
            batches: 0,
            directoryRoot: merkleRoot(leaves),
            directorySize: leaves.length,
          });
          for (let number = 0; number <= ACCOUNTS; number++) {
            const { balance, registration } = accountOf(real, number);
            expect(balance).toBe(model.balance(number));
            expect(registration).toEqual(
              model.newest(number) === undefined ? undefined : { index: model.newest(number), last: 0, mask: 0n },
            );
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it('proves each entry in the tree of each later size, from any later state', () => {
    const real = chain(withDirectory({ accountsMax: 600, registrationsPerBlock: 600 }));
    const sizes: number[] = [];
    for (let at = 0; at < 300; at += 10) {
      real.execute([registering(at % ACCOUNTS, ...Array.from({ length: 10 }, (_, i) => (at + i) % 256))]);
      sizes.push(at + 10);
    }
    const leaves = leavesOf(real);
    expect(leaves).toHaveLength(300);
    for (const size of [1, 2, 15, 16, 17, 255, 256, 257, ...sizes]) {
      const root = merkleRoot(leaves.slice(0, size));
      for (const index of [0, 1, Math.floor(size / 2), size - 1].filter((one) => one < size)) {
        const known = new Set(directoryPathKeys(index, size).map(({ text }) => text));
        const path = directoryPath(index, size, (key) => {
          expect(known.has(key.text)).toBe(true);
          return real.read(key.bytes);
        });
        expect(verifyMerklePath(leaves[index] as Uint8Array, index, size, path, root)).toBe(true);
        expect(known.size).toBeLessThanOrEqual(2 * 16 + 15);
      }
    }
  });
});

test('an index is written into the receipt, and a second registration retires the first, whose entry stays', () => {
  const real = chain(withDirectory());
  const [first] = real.execute([registering(1, 7)]).receipts;
  expect(registrationsInOutput(first?.output ?? new Uint8Array(1))).toEqual([0]);
  real.execute([registering(2, 8)]);
  const [again] = real.execute([registering(1, 9, 10)]).receipts;
  expect(registrationsInOutput(again?.output ?? new Uint8Array(1))).toEqual([2, 3]);
  expect(accountOf(real, 1).registration).toEqual({ index: 3, last: 0, mask: 0n });
  const directory = readDirectory(real.read);
  expect(directory?.size).toBe(4);
  expect(directory?.entry(0)).toEqual({ account: account(1), blsKey: keyOf(7) });
  expect(directory?.entry(4)).toBeUndefined();
});

test('a registered account stays at balance zero, another goes', () => {
  const real = chain(withDirectory());
  real.execute([registering(1, 7)]);
  real.execute([1, 2].map((from) => transaction({ from, actions: [transfer(3, RICH)] })));
  expect(accountOf(real, 1)).toEqual({ balance: 0n, registration: { index: 0, last: 0, mask: 0n } });
  expect(real.read(accountStateKey(account(1)).bytes)).toHaveLength(24);
  expect(real.read(accountStateKey(account(2)).bytes)).toBeUndefined();
  real.execute([transaction({ from: 3, actions: [transfer(1, 5n), transfer(2, 6n)] })]);
  expect([real.balance(1), real.balance(2)]).toEqual([5n, 6n]);
  expect(real.read(accountStateKey(account(2)).bytes)).toHaveLength(16);
});

test('a chain without the parameters has no directory, and no trace of it', () => {
  const real = chain(genesis(BALANCES));
  const run = real.execute([registering(1, 7), transaction({ from: 2 })]);
  expect(outcomesOf(run)).toEqual(['no-directory', 'success']);
  expect(run.distilled).toBeUndefined();
  expect(readDirectory(real.read)).toBeUndefined();
  expect(run.batch.every(({ key }) => key[0] !== 0x78)).toBe(true);
});

test('a full directory, and a block with too many registrations, refuse the next one', () => {
  const real = chain(withDirectory({ accountsMax: 3, registrationsPerBlock: 2 }));
  expect(outcomesOf(real.execute([registering(1, 1), registering(2, 2), registering(3, 3)]))).toEqual([
    ...['success', 'success', 'registration-limit'],
  ]);
  expect(outcomesOf(real.execute([registering(3, 3), registering(1, 4)]))).toEqual(['success', 'directory-full']);
  expect(outcomesOf(real.execute([registering(1, 4)]))).toEqual(['directory-full']);
  expect(accountOf(real, 1).registration?.index).toBe(0);
});

test('a transaction that fails takes no index and is charged', () => {
  const start = { ...withDirectory(), fees: METERED_FEES };
  const real = chain(start);
  const maxFee = 10_000_000n;
  const failing = transaction({ from: 1, maxFee, actions: [register(1), transfer(2, 2n ** 64n - 1n)] });
  const run = real.execute([failing, transaction({ from: 2, maxFee, actions: [register(2)] })]);
  expect(outcomesOf(run)).toEqual(['insufficient-balance', 'success']);
  expect(accountOf(real, 1).registration).toBeUndefined();
  expect(accountOf(real, 2).registration?.index).toBe(0);
  expect(run.receipts[0]?.fee).toBeGreaterThan(0n);
  expect(real.balance(1)).toBe(RICH - (run.receipts[0]?.fee ?? 0n));
});

test('registrations exclude each other, and no transfer', () => {
  const real = chain(withDirectory());
  const { stats } = real.execute([
    registering(0, 1),
    registering(1, 2),
    transaction({ from: 2, actions: [transfer(3, 1n)] }),
  ]);
  expect(stats.longestConflictChain).toBe(2);
  expect(stats.conflictFreeShare).toBeCloseTo(1 / 3);
});

test('a state with a broken head is refused by name', () => {
  const real = chain(withDirectory());
  real.put(new TextEncoder().encode('sdirectory'), new Uint8Array(47));
  expect(() => real.execute([])).toThrow(/head of the directory/);
});
