/** What rows keep of the directory over blocks leaves no trace in a block's result. */
import { describe, expect, it } from 'vitest';
import { createBlockMemory } from '../src/block-memory.ts';
import { createEntryMemory, ENTRY_ACCOUNT_BYTES } from '../src/distilled/entry-memory.ts';
import { executeBlock, METERED_FEES } from '../src/index.ts';
import { blockOn, chain, genesis } from './builders.ts';
import { batchOf, DISTILLED, registering, row } from './distilled-builders.ts';

const RICH = 10n ** 12n;
const accountAt = (index: number): Uint8Array => new Uint8Array(ENTRY_ACCOUNT_BYTES).fill(index % 251);

describe('memory of directory entries', () => {
  it('has places until the next block, and accounts over blocks', () => {
    const memory = createEntryMemory();
    for (const index of [0, 7, 100_000]) {
      memory.setPlace(index, -index);
      memory.keepAccount(index, accountAt(index));
    }
    expect([0, 7, 100_000, 8, 2 ** 32 - 1].map(memory.placeOf)).toEqual([0, -7, -100_000, undefined, undefined]);
    memory.clear();
    expect([0, 7, 100_000].map(memory.placeOf)).toEqual([undefined, undefined, undefined]);
    const account = new Uint8Array(ENTRY_ACCOUNT_BYTES);
    expect(memory.copyAccount(7, account)).toBe(true);
    expect(account).toEqual(accountAt(7));
    expect(memory.copyAccount(8, account)).toBe(false);
  });

  it('never gives the account of another index, where two share memory', () => {
    const memory = createEntryMemory();
    const account = new Uint8Array(ENTRY_ACCOUNT_BYTES);
    memory.keepAccount(5, accountAt(5));
    memory.keepAccount(5 + 262_144, accountAt(6));
    expect(memory.copyAccount(5, account)).toBe(false);
    expect(memory.copyAccount(5 + 262_144, account)).toBe(true);
    expect(account).toEqual(accountAt(6));
  });

  it('is used again by blocks in which an index is retired, and by rivals', () => {
    const all = Object.fromEntries(Array.from({ length: 4 }, (_, i) => [i + 1, RICH]));
    const on = chain({ ...genesis(all, METERED_FEES), distilled: DISTILLED });
    on.execute([1, 2, 3, 4].map((number) => registering(number)));
    const memory = createBlockMemory(new Uint8Array(8).fill(1));
    for (const retires of [undefined, 1, 2, undefined]) {
      const transactions = retires === undefined ? [] : [registering(retires)];
      const rows = [row(0, 1, 5, on.height + 1), row(1, 2, 5, on.height + 1), row(2, 0, 5, on.height + 1)];
      const batches = [batchOf(rows)];
      const block = blockOn(on, [{ epoch: 0, producer: 0, transactions, batches }]);
      const rival = blockOn(on, [{ epoch: 0, producer: 0, transactions: [registering(3)], batches }]);
      for (const each of [block, rival, block]) expect(executeBlock({ ...each, memory })).toEqual(executeBlock(each));
      on.execute(transactions);
    }
  });
});
