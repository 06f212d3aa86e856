/** The batches of a block: each has its effect or a reason, and each row that ran can be proven from the block's root. */
import { describe, expect, it } from 'vitest';
import {
  type Accounts,
  type BlockBatch,
  batchIdOf,
  checkRowProof,
  columnsOf,
  createAccounts,
  executeBatches,
  makeRowProof,
  type Row,
  type RowColumns,
  rowIdOf,
} from '../src/index.ts';
import { GENESIS, headerOf, NOW_MS, ringOf, row } from './world.ts';

const FEES = { row: 20n, straggler: 300n };
const TERMS = {
  height: 30,
  timestampMs: NOW_MS,
  fees: FEES,
  ran: () => false,
  placed: (rows: RowColumns) => rows,
};

function funded(count: number): Accounts {
  const accounts = createAccounts();
  for (let i = 0; i < count; i++) accounts.append({ balance: 10_000n, last: 0, mask: 0n, retired: false });
  return accounts;
}

function packed(
  rows: readonly Row[],
  change: { readonly isValid?: boolean; readonly knownAt?: number } = {},
): BlockBatch {
  const { isValid = true, knownAt = 20 } = change;
  const header = headerOf(rows, { knownAt });
  const batch = { header, rows: columnsOf(rows), stragglers: [], aggregate: new Uint8Array(96) };
  return { batch, batchId: batchIdOf(GENESIS, header), isValid };
}

const totalOf = (accounts: Accounts) =>
  Array.from({ length: accounts.size() }, (_, i) => accounts.read(i).balance).reduce((sum, each) => sum + each, 0n);

describe('the batches of a block', () => {
  it('run in order, and a batch that is there twice runs once', () => {
    const accounts = funded(5);
    const once = packed(ringOf(5));
    const found = executeBatches(accounts, [once, packed(ringOf(5, 2)), once], TERMS);
    expect(found.ran.map(({ place }) => place)).toEqual([0, 1]);
    expect(found.skipped).toEqual([{ place: 2, reason: 'duplicate' }]);
    expect(found.rows).toBe(10);
    expect(totalOf(accounts)).toBe(50_000n - 10n * FEES.row);
  });

  it('skip those that an ancestor ran, that are invalid, or outside the window, without any effect', () => {
    const accounts = funded(5);
    const [ancestor, invalid, early] = [
      packed(ringOf(5)),
      packed(ringOf(4), { isValid: false }),
      packed(ringOf(3), { knownAt: 30, isValid: false }),
    ];
    const ran = (id: Uint8Array) => id === ancestor.batchId;
    const found = executeBatches(accounts, [ancestor, invalid, early], { ...TERMS, ran });
    expect(found.ran).toEqual([]);
    expect(found.skipped.map(({ reason }) => reason)).toEqual(['duplicate', 'bad-signature', 'known-at-bounds']);
    expect(totalOf(accounts)).toBe(50_000n);
  });

  it('run a row once, though two brokers packed it', () => {
    const accounts = funded(5);
    const shared = row(2, 3, 100);
    const found = executeBatches(accounts, [packed([shared]), packed([row(1, 3, 7), shared])], TERMS);
    expect(found.ran.map(({ outcomes }) => [...outcomes])).toEqual([[0], [0, 158]]);
    expect(accounts.read(3).balance).toBe(10_107n);
  });

  it('give a root from which each row is proven with its outcome', () => {
    const accounts = funded(40);
    const poor = ringOf(40, 2).map((each) => (each.sender === 7 ? { ...each, amount: 1_000_000n } : each));
    const batches = [packed(ringOf(40)), packed(ringOf(3), { isValid: false }), packed(poor)];
    const { ran, batchesRoot } = executeBatches(accounts, batches, TERMS);
    const leaves = ran.map(({ leaf }) => leaf);
    for (const [batch, { place, outcomes }] of ran.entries()) {
      const { rows } = (batches[place] as BlockBatch).batch;
      for (let position = 0; position < rows.count; position++) {
        const proof = makeRowProof({ rows, outcomes, leaves, batch }, position);
        const rowId = rowIdOf((batches[place] as BlockBatch).batchId, position);
        const checked = checkRowProof(proof, { genesisHash: GENESIS, rowId, batchesRoot, batches: leaves.length });
        const failed = { status: 'failed', code: 'insufficient-balance' };
        expect(checked).toMatchObject({
          ok: true,
          value: {
            index: 40 * batch + position,
            outcome: place === 2 && position === 7 ? failed : { status: 'success' },
          },
        });
      }
    }
  });
});
