import {
  asId,
  decodeTransaction,
  feeOf,
  type GenesisHash,
  receiptCodec,
  type SkipReason,
  unitsOf,
} from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { accountStateKey, FREE_FEES, METERED_FEES, readData } from '../src/index.ts';
import {
  account,
  chain,
  genesis,
  NOW_MS,
  producerAccount,
  setData,
  type TransactionForm,
  transaction,
  transfer,
} from './builders.ts';

const RICH = 1_000_000_000n;

function outcomesOf(executed: ReturnType<ReturnType<typeof chain>['execute']>): readonly string[] {
  return executed.receipts.map(({ outcome }) => (outcome.status === 'success' ? 'success' : outcome.code));
}

describe('skipping', () => {
  const cases: readonly [SkipReason, TransactionForm][] = [
    ['bad-signature', { signatureValid: false }],
    ['wrong-genesis', { genesisHash: asId<GenesisHash>(new Uint8Array(32)) }],
    ['expired', { expiryMs: NOW_MS }],
    ['expiry-too-far', { expiryMs: NOW_MS + 60_001 }],
    ['fee-not-covered', { maxFee: RICH + 1n }],
  ];

  it.each(cases)('skips with %s and writes no state and no receipt', (reason, form) => {
    const run = chain(genesis({ 1: RICH })).execute([transaction(form)]);
    expect(run.skipped.map((skip) => skip.reason)).toEqual([reason]);
    expect(run.receipts).toEqual([]);
    expect(run.batch).toEqual([]);
    expect(run.stats.transactions).toBe(0);
  });

  it('executes at both ends of the life of a transaction', () => {
    const run = chain(genesis({ 1: RICH })).execute([
      transaction({ expiryMs: NOW_MS + 1 }),
      transaction({ expiryMs: NOW_MS + 60_000 }),
    ]);
    expect(outcomesOf(run)).toEqual(['success', 'success']);
  });

  it('skips undecodable bytes as malformed, under an id of their own', () => {
    const bytes = new Uint8Array([1, 2, 3]);
    const prepared = { ...decodeTransaction(bytes), signatureValid: false };
    const run = chain(genesis({})).execute([prepared]);
    expect(run.skipped).toEqual([{ id: prepared.id, reason: 'malformed' }]);
  });

  it('skips with max-fee-too-low when the units at their bound cost more than maxFee', () => {
    const free = transaction();
    const bound = feeOf(unitsOf(free.transaction, free.bytes.length), METERED_FEES.initialPrices);
    const start = chain(genesis({ 1: RICH }, METERED_FEES));
    const run = start.execute([transaction({ maxFee: bound - 1n }), transaction({ maxFee: bound })]);
    expect(run.skipped.map((skip) => skip.reason)).toEqual(['max-fee-too-low']);
    expect(run.receipts).toHaveLength(1);
  });

  it('skips a transaction executed in an ancestor, an earlier chunk, or the same chunk', () => {
    const once = transaction();
    const again = transaction();
    const start = chain(genesis({ 1: RICH }));
    start.execute([once]);
    const run = start.execute([
      { epoch: 0, producer: 0, transactions: [once, again, again] },
      { epoch: 0, producer: 1, transactions: [again] },
    ]);
    expect(run.skipped.map((skip) => skip.reason)).toEqual(['duplicate', 'chunk-duplicate', 'duplicate']);
    expect(run.receipts.map(({ transactionId }) => transactionId)).toEqual([again.id]);
    expect(start.balance(2)).toBe(2n);
  });

  it('executes a transaction whose copy with a bad signature came first', () => {
    const run = chain(genesis({ 1: RICH })).execute([
      transaction({ salt: 999, signatureValid: false }),
      transaction({ salt: 999 }),
    ]);
    expect(run.skipped).toHaveLength(1);
    expect(run.receipts).toHaveLength(1);
  });

  it('skips the later transactions of a chunk whose sender could not cover a fee, and not those of the next', () => {
    const broke = transaction({ maxFee: RICH + 1n });
    const run = chain(genesis({ 1: RICH })).execute([
      {
        epoch: 0,
        producer: 0,
        transactions: [broke, transaction(), transaction({ from: 2, actions: [transfer(1, 0n)] })],
      },
      { epoch: 0, producer: 0, transactions: [transaction()] },
    ]);
    expect(run.skipped.map((skip) => skip.reason)).toEqual(['fee-not-covered', 'fee-not-covered']);
    expect(run.receipts).toHaveLength(2);
  });
});

describe('actions', () => {
  it('transfers, to a new account and to the sender itself', () => {
    const start = chain(genesis({ 1: 10n }));
    const run = start.execute([transaction({ actions: [transfer(2, 4n), transfer(1, 6n)] })]);
    expect(outcomesOf(run)).toEqual(['success']);
    expect([start.balance(1), start.balance(2)]).toEqual([6n, 4n]);
  });

  it('removes the entry of an account with a balance of zero', () => {
    const start = chain(genesis({ 1: 10n }));
    const run = start.execute([transaction({ actions: [transfer(2, 10n)] })]);
    expect(run.batch.filter(({ key }) => key[0] === 0x61).map(({ value }) => value === undefined)).toEqual([
      true,
      false,
    ]);
    expect(start.balance(1)).toBe(0n);
  });

  it('transfers to many, all or nothing', () => {
    const start = chain(genesis({ 1: 10n }));
    const outputs = [2, 3, 2].map((to) => ({ to: account(to), amount: 3n }));
    const run = start.execute([
      transaction({ actions: [{ kind: 'transferMany', outputs }] }),
      transaction({ actions: [{ kind: 'transferMany', outputs }] }),
    ]);
    expect(outcomesOf(run)).toEqual(['success', 'insufficient-balance']);
    expect([1, 2, 3].map(start.balance)).toEqual([1n, 6n, 3n]);
  });

  it('sets and deletes data under the sender', () => {
    const start = chain(genesis({ 1: 10n }));
    start.execute([transaction({ actions: [setData('name', 'value')] })]);
    expect(readData(start.read, account(1), 'name')).toEqual(new TextEncoder().encode('value'));
    expect(readData(start.read, account(2), 'name')).toBeUndefined();
    start.execute([transaction({ actions: [setData('name', '')] })]);
    expect(readData(start.read, account(1), 'name')).toBeUndefined();
  });

  it('fails with balance-overflow rather than wrap the balance of a receiver', () => {
    const start = chain(genesis({ 1: 10n, 2: 5n }));
    const full = new Uint8Array(16).fill(255, 0, 8);
    start.put(accountStateKey(account(2)).bytes, full);
    const run = start.execute([transaction({ actions: [transfer(2, 10n)] })]);
    expect(outcomesOf(run)).toEqual(['balance-overflow']);
    expect([start.balance(1), start.balance(2)]).toEqual([10n, 2n ** 64n - 1n]);
  });

  it('reverts every action of a transaction when one fails, and names it', () => {
    const start = chain(genesis({ 1: 10n }));
    const run = start.execute([transaction({ actions: [transfer(2, 4n), setData('name', 'value'), transfer(3, 7n)] })]);
    expect(run.receipts[0]?.outcome).toEqual({ status: 'failed', code: 'insufficient-balance', action: 2 });
    expect([start.balance(1), start.balance(2), start.balance(3)]).toEqual([10n, 0n, 0n]);
    expect(readData(start.read, account(1), 'name')).toBeUndefined();
    expect(run.stats.failed).toBe(1);
  });
});

describe('fees of a block', () => {
  it('charges a failed transaction its fee and nothing else', () => {
    const start = chain(genesis({ 1: RICH }, METERED_FEES));
    const run = start.execute([transaction({ maxFee: 1_000_000n, actions: [transfer(2, 4n), transfer(2, RICH)] })]);
    const fee = run.receipts[0]?.fee as bigint;
    expect(run.receipts[0]?.outcome.status).toBe('failed');
    expect(fee).toBeGreaterThan(0n);
    expect(start.balance(1)).toBe(RICH - fee);
    expect(start.balance(2)).toBe(0n);
  });

  it('reserves maxFee before the actions, so that they cannot spend it, and refunds the rest', () => {
    const start = chain(genesis({ 1: 2_000_000n }, METERED_FEES));
    const run = start.execute([transaction({ maxFee: 1_000_000n, actions: [transfer(2, 1_000_001n)] })]);
    expect(outcomesOf(run)).toEqual(['insufficient-balance']);
    const next = start.execute([transaction({ maxFee: 1_000_000n, actions: [transfer(2, 500_000n)] })]);
    expect(outcomesOf(next)).toEqual(['success']);
    const fees = (run.receipts[0]?.fee as bigint) + (next.receipts[0]?.fee as bigint);
    expect(start.balance(1)).toBe(1_500_000n - fees);
  });

  it('credits each producer once, at the end of the batch', () => {
    const start = chain(genesis({ 1: RICH, 5: RICH }, METERED_FEES));
    const run = start.execute([
      {
        epoch: 0,
        producer: 0,
        transactions: [transaction({ maxFee: 1_000_000n }), transaction({ maxFee: 1_000_000n })],
      },
      { epoch: 0, producer: 2, transactions: [transaction({ from: 5, maxFee: 1_000_000n })] },
    ]);
    const fees = run.receipts.map(({ fee }) => fee);
    expect(start.balance(1000)).toBe((fees[0] as bigint) + (fees[1] as bigint));
    expect(start.balance(1002)).toBe(fees[2]);
    const last = run.batch.slice(-3).map(({ key }) => key);
    expect(last.map((key) => key[0])).toEqual([0x61, 0x61, 0x73]);
    expect(last[0]?.subarray(2)).toEqual(producerAccount(0).bytes);
  });

  it('charges for an account only when it creates one', () => {
    const start = chain(genesis({ 1: RICH, 2: 1n }, METERED_FEES));
    const run = start.execute([
      transaction({ maxFee: 1_000_000n, actions: [transfer(2, 1n)] }),
      transaction({ maxFee: 1_000_000n, actions: [transfer(3, 1n)] }),
      transaction({ maxFee: 1_000_000n, actions: [transfer(3, 1n)] }),
    ]);
    expect(run.receipts.map(({ units }) => units[3])).toEqual([0, 50, 0]);
  });

  it('charges for the bytes by which a value grows, and for none when it shrinks', () => {
    const start = chain(genesis({ 1: RICH }, METERED_FEES));
    const values = ['1', '1'.repeat(1000), '1', '1'.repeat(4096)];
    const run = start.execute(
      values.map((value) => transaction({ maxFee: 1_000_000n, actions: [setData('name', value)] })),
    );
    expect(run.receipts.map(({ units }) => units[3])).toEqual([39, 999, 0, 4095]);
  });
});

describe('the batch', () => {
  it('holds each key once, at its last writer, in transaction order and then key order', () => {
    const start = chain(genesis({ 1: RICH, 9: RICH }));
    const run = start.execute([
      transaction({ from: 1, actions: [transfer(3, 1n), transfer(2, 1n)] }),
      transaction({ from: 9, actions: [transfer(1, 1n)] }),
    ]);
    const accounts = run.batch.filter(({ key }) => key[0] === 0x61).map(({ key }) => key[5]);
    expect(accounts).toEqual([2, 3, 1, 9]);
  });

  it('leaves out keys created and deleted within the block', () => {
    const start = chain(genesis({ 1: RICH }));
    const run = start.execute([
      transaction({ actions: [setData('name', 'value')] }),
      transaction({ actions: [setData('name', '')] }),
    ]);
    expect(run.batch.filter(({ key }) => key[0] === 0x64)).toEqual([]);
  });

  it('is empty for an empty block of an idle chain', () => {
    expect(chain(genesis({ 1: RICH })).execute([]).batch).toEqual([]);
  });
});

describe('the report of a block', () => {
  it('numbers the receipts and serializes each', () => {
    const run = chain(genesis({ 1: RICH })).execute([
      transaction(),
      transaction({ signatureValid: false }),
      transaction(),
    ]);
    expect(run.receipts.map(({ index, height }) => [index, height])).toEqual([
      [0, 1],
      [1, 1],
    ]);
    expect(run.receiptBytes.map((bytes) => receiptCodec.decode(bytes))).toEqual(
      run.receipts.map((value) => ({ ok: true, value })),
    );
  });

  it('counts conflicts: the share without any, the longest chain, and what waits for no other', () => {
    const balances = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [i, RICH]));
    const pay = (from: number, to: number) => transaction({ from, actions: [transfer(to, 1n)] });
    const run = chain(genesis(balances, FREE_FEES)).execute([pay(1, 2), pay(2, 3), pay(3, 4), pay(5, 6), pay(7, 7)]);
    const conflicts = { conflictFreeShare: 0.4, longestConflictChain: 3, executableAtOnce: 3 };
    expect(run.stats).toMatchObject({ transactions: 5, ...conflicts });
  });
});
