/** The executor on columns equals the plain one, row by row. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Accounts,
  type Batch,
  columnsOf,
  createAccounts,
  executeBatch,
  ORDINARY_TRANSFER_BYTES,
  outcomeOf,
  ROW_UNITS,
  type Row,
  rowFeesAt,
  STRAGGLER_UNITS,
  unitsOfBatch,
} from '../src/index.ts';
import { isNew, type PlainAccount, type PlainState, runPlainly } from './plain-executor.ts';
import { inOrder } from './random-batches.ts';
import { headerOf, NOW_MS, row } from './world.ts';

const FEES = { row: 20n, straggler: 300n };
const TERMS = { fees: FEES, timestampMs: NOW_MS };
const COUNT = 6;

const sequence = fc.oneof(fc.nat(130), fc.constantFrom(0, 64, 65, 2 ** 20, 2 ** 20 + 1, 2 ** 32 - 1));
const amount = fc.oneof(fc.bigInt(0n, 2_000n), fc.constantFrom(2n ** 32n - 1n, 2n ** 32n, 2n ** 63n, 2n ** 64n - 1n));
const someRow: fc.Arbitrary<Row> = fc.record({
  sender: fc.nat(COUNT - 1),
  recipient: fc.nat(COUNT - 1),
  amount,
  sequence,
  tag: fc.constant(0),
});
const straggler = fc.record({
  expiryMs: fc.constantFrom(NOW_MS, NOW_MS + 1, NOW_MS + 60_000, NOW_MS + 60_001),
  feeCap: fc.constantFrom(299n, 300n),
  signature: fc.constant(new Uint8Array(64)),
});
const batches: fc.Arbitrary<Batch> = fc
  .tuple(fc.array(someRow, { minLength: 1, maxLength: 40 }).map(inOrder), fc.infiniteStream(fc.option(straggler)))
  .map(([rows, stream]) => {
    const stragglers = [...rows.keys()].flatMap((position) => {
      const terms = stream.next().value;
      return terms === null ? [] : [{ position, ...terms }];
    });
    return { header: headerOf(rows), rows: columnsOf(rows), stragglers, aggregate: undefined };
  });
const balances = fc.array(
  fc.oneof(fc.bigInt(0n, 5_000n), fc.constantFrom(2n ** 32n, 2n ** 64n - 1n, 2n ** 64n - 50n)),
  { minLength: COUNT, maxLength: COUNT },
);

function startWith(all: readonly bigint[]): { readonly accounts: Accounts; readonly state: PlainState } {
  const accounts = createAccounts(2);
  for (const [i, balance] of all.entries()) accounts.append({ balance, last: 0, mask: 0n, retired: i === COUNT - 1 });
  const plain = (balance: bigint, i: number): [number, PlainAccount] => [
    i,
    { balance, last: 0, used: new Set(), retired: i === COUNT - 1 },
  ];
  return { accounts, state: new Map(all.map(plain)) };
}

const entriesOf = (accounts: Accounts) => Array.from({ length: accounts.size() }, (_, i) => accounts.read(i));
const totalOf = (accounts: Accounts) => entriesOf(accounts).reduce((sum, { balance }) => sum + balance, 0n);

/** Of sequences that may still be asked for. */
function maskOf({ last, used }: PlainAccount): bigint {
  let mask = 0n;
  for (let bit = 0; bit < 64; bit++) {
    const below = last - 1 - bit;
    // Sequence 0 counts as used once it is below another.
    if (below === 0 || used.has(below)) mask |= 1n << BigInt(bit);
  }
  return mask;
}

describe('the executor on columns', () => {
  it('gives the outcomes, balances, sequences and fees of the plain one', () => {
    fc.assert(
      fc.property(balances, fc.array(batches, { minLength: 1, maxLength: 4 }), (all, run) => {
        const { accounts, state: first } = startWith(all);
        let state = first;
        for (const batch of run) {
          const supply = totalOf(accounts);
          const real = executeBatch(accounts, batch, TERMS);
          const plain = runPlainly(state, batch, FEES, NOW_MS);
          state = plain.state;
          expect([...real.outcomes]).toEqual(plain.outcomes);
          expect([real.earned, real.burned]).toEqual([plain.earned, plain.burned]);
          expect(totalOf(accounts) + real.earned + real.burned).toBe(supply);
          for (const [i, { balance, last }] of state) expect(accounts.read(i)).toMatchObject({ balance, last });
        }
        for (const [i, account] of state) expect(accounts.read(i).mask).toBe(maskOf(account));
      }),
      { numRuns: 300 },
    );
  });

  it('marks the accounts that it changes, and no other', () => {
    const { accounts } = startWith(new Array(COUNT).fill(1_000n));
    // Its own recipient, an amount that is not covered, and a retired sender.
    const rows = [row(0, 0, 5), row(1, 2, 5_000), row(2, 3, 5), row(COUNT - 1, 4, 5)];
    executeBatch(accounts, { rows: columnsOf(rows), stragglers: [] }, TERMS);
    expect([...accounts.columns.touched.subarray(0, COUNT)]).toEqual([1, 1, 1, 1, 0, 0]);
  });
});

describe('sequences (Z8)', () => {
  it('run once each, in any order, up to 64 below the highest and 2^20 above', () => {
    fc.assert(
      fc.property(fc.array(sequence, { maxLength: 60 }), (asked) => {
        const { accounts } = startWith(new Array(COUNT).fill(2n ** 40n));
        let last = 0;
        const used = new Set<number>();
        for (const each of asked) {
          const rows = [row(0, 1, 1, each)];
          const batch = { header: headerOf(rows), rows: columnsOf(rows), stragglers: [], aggregate: undefined };
          const { outcomes } = executeBatch(accounts, batch, TERMS);
          const fresh = isNew(each, { last, used });
          expect(outcomeOf(outcomes[0] as number)).toEqual(
            fresh ? { status: 'success' } : { status: 'skipped', reason: 'sequence-used' },
          );
          if (!fresh) continue;
          used.add(each);
          last = Math.max(last, each);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('fees of rows (Z10)', () => {
  it('make a straggler pay as an ordinary transfer, and burn the difference', () => {
    const { accounts } = startWith(new Array(COUNT).fill(1_000n));
    const rows = [row(0, 1, 10), row(1, 2, 10)];
    const late = { position: 1, expiryMs: NOW_MS + 1, feeCap: 300n, signature: new Uint8Array(64) };
    const batch = { header: headerOf(rows), rows: columnsOf(rows), stragglers: [late], aggregate: undefined };
    const { earned, burned } = executeBatch(accounts, batch, TERMS);
    expect([earned, burned]).toEqual([40n, 280n]);
    expect([0, 1, 2].map((i) => accounts.read(i).balance)).toEqual([970n, 700n, 1_010n]);
  });

  it('are never higher for a row than for a straggler', () => {
    expect(ROW_UNITS.every((unit, i) => unit <= (STRAGGLER_UNITS[i] as number))).toBe(true);
    const late = { position: 1, expiryMs: 1, feeCap: 1n, signature: new Uint8Array(64) };
    const batch = { rows: columnsOf([row(0, 1, 1), row(1, 0, 1)]), stragglers: [late] };
    expect(unitsOfBatch(batch, 300)).toEqual([300, 1000 + 5 + 51, 2 + 2, 50, 8 + 4 + 4]);
    expect(rowFeesAt([1n, 1n, 1n, 1n, 1n])).toEqual({ row: 19n, straggler: BigInt(107 + ORDINARY_TRANSFER_BYTES) });
  });
});
