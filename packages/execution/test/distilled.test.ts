/**
 * Blocks of ordinary transactions and distilled batches against the obvious executor: balances in a map, all sequences that ran in sets,
 * one row after another.
 */
import { type BlockBatch, batchesRootOf, outcomeOf, rowAt, rowFeesAt, type Straggler } from '@slipstream/distilled';
import { FAILURE_CODES, type Genesis, NO_UNITS, SKIP_REASONS } from '@slipstream/types';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  accountStateKey,
  decodeAccount,
  executeBlock,
  METERED_FEES,
  registrationBytes,
  registrationsIn,
  writesOf,
} from '../src/index.ts';
import { account, blockOn, type Chain, chain, genesis, NOW_MS, transaction, transfer } from './builders.ts';
import { batchOf, DISTILLED, registering, row } from './distilled-builders.ts';

const ACCOUNTS = 5;
const RICH = 10n ** 12n;
const FEES = rowFeesAt(METERED_FEES.initialPrices);

/** Account 1 has the indices 0 and 5; 0 is retired. Account n has n - 1 else. Account 6 is not registered. */
function started(): Chain {
  const all = Object.fromEntries(Array.from({ length: ACCOUNTS + 1 }, (_, i) => [i + 1, RICH]));
  const start: Genesis = { ...genesis(all, { ...METERED_FEES, windowBlocks: 1_000 }), distilled: DISTILLED };
  const real = chain(start);
  real.execute([...[1, 2, 3, 4, 5].map((number) => registering(number)), registering(1)]);
  return real;
}

const MAX_FEE = 10n ** 6n;

interface Transfer {
  readonly from: number;
  readonly to: number;
  readonly amount: bigint;
}

const BARE = { epoch: 0, producer: 0, transactions: [] };

const OWNERS = [1, 2, 3, 4, 5, 1];
const NEWEST = [5, 1, 2, 3, 4, 5];

const accountOf = ({ read }: Pick<Chain, 'read'>, number: number) =>
  decodeAccount(read(accountStateKey(account(number)).bytes));

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

interface PlainAccount {
  balance: bigint;
  readonly used: Set<number>;
}

/** The other side of the comparison, by number of account. */
class Plain {
  readonly accounts = new Map<number, PlainAccount>();
  /** By producer. */
  readonly earned = [0n, 0n];
  burned = 0n;

  constructor(real: Chain) {
    for (let number = 1; number <= ACCOUNTS + 1; number++) {
      this.accounts.set(number, { balance: accountOf(real, number).balance, used: new Set() });
    }
  }

  of(number: number): PlainAccount {
    return this.accounts.get(number) as PlainAccount;
  }

  run({ batch }: BlockBatch, producer: number): readonly number[] {
    return Array.from({ length: batch.rows.count }, (_, position) => this.#row(batch, position, producer));
  }

  #earn(producer: number, fee: bigint): void {
    this.earned[producer] = (this.earned[producer] ?? 0n) + fee;
  }

  #row({ rows, stragglers }: BlockBatch['batch'], position: number, producer: number): number {
    const { sender, recipient, amount, sequence } = rowAt(rows, position);
    const straggler = stragglers.find((each) => each.position === position);
    const fee = straggler ? FEES.straggler : FEES.row;
    if (straggler && fee > straggler.feeCap) return 128 + SKIP_REASONS['max-fee-too-low'];
    if (NEWEST[sender] !== sender) return 128 + SKIP_REASONS['index-retired'];
    const payer = this.of(OWNERS[sender] as number);
    const last = Math.max(0, ...payer.used);
    const isFresh = !payer.used.has(sequence) && sequence >= Math.max(1, last - 64) && sequence <= last + 2 ** 20;
    if (!isFresh) return 128 + SKIP_REASONS['sequence-used'];
    if (payer.balance < fee) return 128 + SKIP_REASONS['fee-not-covered'];
    payer.used.add(sequence);
    payer.balance -= fee;
    this.#earn(producer, FEES.row);
    this.burned += fee - FEES.row;
    if (payer.balance < amount) return FAILURE_CODES['insufficient-balance'];
    payer.balance -= amount;
    this.of(OWNERS[recipient] as number).balance += amount;
    return 0;
  }

  /** Ordinary transfers of a chunk; `feeOf` is asked for those that leave a receipt. Returns how many are skipped. */
  transfers(all: readonly Transfer[], producer: number, feeOf: () => bigint): number {
    const uncovered = new Set<number>();
    let skipped = 0;
    for (const { from, to, amount } of all) {
      const payer = this.of(from);
      if (uncovered.has(from) || payer.balance < MAX_FEE) {
        uncovered.add(from);
        skipped++;
        continue;
      }
      const isCovered = payer.balance - MAX_FEE >= amount;
      const fee = feeOf();
      payer.balance -= fee;
      this.#earn(producer, fee);
      if (!isCovered) continue;
      payer.balance -= amount;
      this.of(to).balance += amount;
    }
    return skipped;
  }
}

const someRow = fc.record({
  sender: fc.nat(5),
  recipient: fc.nat(5),
  amount: fc.oneof(fc.constant(0n), fc.bigInt(1n, 10n ** 6n), fc.bigInt(1n, 2n * RICH)),
  sequence: fc.oneof(fc.nat(8), fc.nat(200)),
  tag: fc.nat(3),
});
const someTerms = fc.option(fc.constantFrom(FEES.straggler, FEES.straggler - 1n));
const someBatch: fc.Arbitrary<BlockBatch> = fc
  .tuple(fc.array(someRow, { minLength: 1, maxLength: 14 }), fc.infiniteStream(someTerms), fc.nat())
  .map(([all, terms, number]) => {
    const sorted = all.sort((a, b) => a.sender - b.sender || a.sequence - b.sequence);
    const rows = sorted.filter(
      (each, i) => i === 0 || each.sender !== sorted[i - 1]?.sender || each.sequence !== sorted[i - 1]?.sequence,
    );
    const stragglers = rows.flatMap((_, position): Straggler[] => {
      const feeCap = terms.next().value;
      return feeCap === null ? [] : [{ position, feeCap, expiryMs: NOW_MS + 1, signature: new Uint8Array(64) }];
    });
    return batchOf(rows, { stragglers, header: { number } });
  });
const someTransfer = fc.record({
  from: fc.integer({ min: 1, max: 6 }),
  to: fc.integer({ min: 1, max: 6 }),
  amount: fc.oneof(fc.bigInt(0n, 10n ** 6n), fc.bigInt(0n, 2n * RICH)),
});
/** Two chunks a block. */
const someBlock = fc.array(
  fc.record({ transfers: fc.array(someTransfer, { maxLength: 3 }), batches: fc.array(someBatch, { maxLength: 3 }) }),
  { minLength: 2, maxLength: 2 },
);

describe('a block of transactions and batches', () => {
  it('gives what the plain executor gives: transactions of all chunks, then batches of all chunks, row by row', () => {
    fc.assert(
      fc.property(fc.array(someBlock, { minLength: 1, maxLength: 3 }), (blocks) => {
        const real = started();
        const plain = new Plain(real);
        const ranBefore = new Set<string>();
        const earned = () => [0, 1].map((index) => real.balance(1000 + index));
        const earnedBefore = earned();
        for (const chunks of blocks) {
          const supply = real.supply();
          const burnedBefore = plain.burned;
          const run = real.execute(
            chunks.map(({ transfers, batches }, producer) => ({
              epoch: 0,
              producer,
              batches,
              transactions: transfers.map(({ from, to, amount }) =>
                transaction({ from, actions: [transfer(to, amount)], maxFee: MAX_FEE }),
              ),
            })),
          );
          const fees = run.receipts.map(({ fee }) => fee);
          const unpaid = chunks.map(({ transfers }, producer) =>
            plain.transfers(transfers, producer, () => fees.shift() as bigint),
          );
          const all = chunks.flatMap(({ batches }, producer) => batches.map((each) => ({ ...each, producer })));
          const fresh = all.filter(({ batchId }) => {
            const isNew = !ranBefore.has(String(batchId));
            ranBefore.add(String(batchId));
            return isNew;
          });
          const outcomes = fresh.map((each) => plain.run(each, each.producer));
          expect(run.batches.map((each) => [...each.outcomes])).toEqual(outcomes);
          expect(run.batches.map(({ batchId }) => batchId)).toEqual(fresh.map(({ batchId }) => batchId));
          expect(run.skipped.map(({ reason }) => reason)).toEqual([
            ...new Array((unpaid[0] ?? 0) + (unpaid[1] ?? 0)).fill('fee-not-covered'),
            ...all.slice(fresh.length).map(() => 'duplicate'),
          ]);
          expect(run.distilled).toMatchObject({
            batches: fresh.length,
            batchesRoot: batchesRootOf(run.batches.map(({ leaf }) => leaf)),
          });
          for (const [number, { balance, used }] of plain.accounts) {
            const value = accountOf(real, number);
            expect(value.balance).toBe(balance);
            if (number <= ACCOUNTS) expect(value.registration?.last).toBe(Math.max(0, ...used));
          }
          expect(earned()).toEqual(plain.earned.map((fee, i) => fee + (earnedBefore[i] ?? 0n)));
          expect(real.supply()).toBe(supply - (plain.burned - burnedBefore));
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('batches of a block', () => {
  it('pay an account by its retired index, and nothing is sent from there', () => {
    const real = started();
    const run = real.execute([{ ...BARE, batches: [batchOf([row(0, 1, 7), row(1, 0, 50), row(5, 0, 9)])] }]);
    expect([...(run.batches[0]?.outcomes ?? [])].map(outcomeOf)).toEqual([
      { status: 'skipped', reason: 'index-retired' },
      { status: 'success' },
      { status: 'success' },
    ]);
    expect(accountOf(real, 1).registration).toMatchObject({ index: 5, last: 1 });
    expect(real.balance(2)).toBe(started().balance(2) - 50n - FEES.row);
    expect(real.balance(1)).toBe(started().balance(1) + 50n - FEES.row);
  });

  it('retire an index that a transaction of the same block registered again', () => {
    const real = started();
    const run = real.execute([{ ...BARE, transactions: [registering(3)], batches: [batchOf([row(2, 1, 7)])] }]);
    expect(outcomeOf(run.batches[0]?.outcomes[0] as number)).toEqual({ status: 'skipped', reason: 'index-retired' });
  });

  it('write each account once, after the transactions, by its newest index, and nothing for those that do not change', () => {
    const real = started();
    const batches = [batchOf([row(3, 2, 5), row(4, 1, 0)]), batchOf([row(1, 3, 5), row(2, 3, 0)])];
    const run = real.execute([{ ...BARE, transactions: [transaction({ from: 6, maxFee: MAX_FEE })], batches }]);
    const numbers = run.batch.flatMap(({ key }) =>
      key[0] === 0x61 ? [1, 2, 3, 4, 5, 6].filter((number) => accountStateKey(account(number)).text === hex(key)) : [],
    );
    // Ordinary: 6 pays 2, which rows write again. Index 1 is account 2.
    expect(numbers).toEqual([6, 2, 3, 4, 5]);
  });

  it('run one row once, though two batches have it, and a batch once in the chain', () => {
    const real = started();
    const shared = row(1, 2, 100);
    const [first, second] = [batchOf([shared]), batchOf([shared, row(3, 2, 1)])];
    const run = real.execute([
      { ...BARE, batches: [first, second] },
      { ...BARE, producer: 1, batches: [first] },
    ]);
    expect(run.batches.map(({ outcomes }) => outcomes[0])).toEqual([0, 128 + SKIP_REASONS['sequence-used']]);
    expect(run.skipped).toEqual([{ id: first.batchId, reason: 'duplicate' }]);
    const seen = (id: Uint8Array) => String(id) === String(first.batchId);
    const again = executeBlock({ ...blockOn(real, [{ ...BARE, batches: [first] }]), seen });
    expect(again.skipped).toEqual([{ id: first.batchId, reason: 'duplicate' }]);
    expect(writesOf(again.batch).filter(({ key }) => key[0] === 0x61)).toEqual([]);
  });

  it('count the units of charged rows, so that prices follow', () => {
    const real = started();
    const late = { position: 1, feeCap: FEES.straggler, expiryMs: NOW_MS + 1, signature: new Uint8Array(64) };
    const batches = [
      batchOf([row(1, 2, 1), row(2, 3, 1)], { stragglers: [late] }),
      // A retired sender, and a transfer that fails.
      batchOf([row(0, 2, 1), row(3, 2, 2n * RICH)]),
    ];
    const run = real.execute([{ ...BARE, batches }]);
    expect(run.stats.units).toEqual([2 * 8 + 246, 2 * 5 + 51, 2 * 2 + 2, 50, 3 * 4]);
    expect(run.stats.rows).toBe(3);
    expect(run.stats.transactions).toBe(0);
  });

  it('are skipped on a chain without a directory, where nothing is written', () => {
    const real = chain(genesis({ 1: RICH }));
    const run = real.execute([{ ...BARE, batches: [batchOf([row(0, 1, 1)], { isValid: false })] }]);
    expect(run.distilled).toBeUndefined();
    expect(run.batches).toEqual([]);
    expect(run.stats.units).toEqual(NO_UNITS);
  });
});

test('the state has the height of each registration', () => {
  const real = started();
  real.execute([]);
  const { registered } = real.execute([registering(6, 2)]);
  expect(registered.map(({ height }) => height)).toEqual([3, 3]);
  const entries = { get: ({ bytes }: { readonly bytes: Uint8Array }) => real.read(bytes) };
  const all = [0, 3, 6, 9].flatMap((from) => registrationsIn(registrationBytes(entries, from, 3)));
  expect(all.map(({ height }) => height)).toEqual([1, 1, 1, 1, 1, 1, 3, 3]);
  expect(all.slice(6)).toEqual(registered);
  expect(real.execute([]).registered).toEqual([]);
});
