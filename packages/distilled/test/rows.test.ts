/** Numbers that do not fit their column are refused: wrapped, they would be another payment, and one that a client signs. */
import { describe, expect, it } from 'vitest';
import { columnsOf, createAccounts, rowToBytes, stragglerMessage } from '../src/index.ts';
import { GENESIS, row, STRAGGLER } from './world.ts';

const BEYOND = [-1n, 2n ** 64n, 2n ** 64n + 5n];

describe('a number beyond 64 bits is refused', () => {
  it.each(BEYOND)('as an amount: %s', (amount) => {
    expect(() => columnsOf([row(0, 1, amount)])).toThrow('64 bits');
    expect(() => rowToBytes(row(0, 1, amount))).toThrow('64 bits');
  });

  it.each(BEYOND)('as the fee cap of a straggler: %s', (feeCap) => {
    expect(() => stragglerMessage(GENESIS, row(0, 1, 5), { ...STRAGGLER, feeCap })).toThrow('fit');
  });

  it.each(BEYOND)('as a balance or mask: %s', (value) => {
    const accounts = createAccounts();
    const entry = { balance: 3n, last: 0, mask: 0n, retired: false };
    accounts.append(entry);
    expect(() => accounts.append({ ...entry, balance: value })).toThrow('64 bits');
    expect(() => accounts.append({ ...entry, mask: value })).toThrow('64 bits');
    expect(accounts.size()).toBe(1);
  });
});

describe('a number beyond 32 bits is refused', () => {
  it.each(['sender', 'recipient', 'sequence', 'tag'])('as a %s', (field) => {
    for (const value of [-1, 1.5, 2 ** 32]) {
      expect(() => columnsOf([{ ...row(0, 1, 5), [field]: value }])).toThrow('32 bits');
    }
    expect(columnsOf([{ ...row(0, 1, 5), [field]: 2 ** 32 - 1 }]).count).toBe(1);
  });
});

it.each([-1, 1.5, 2 ** 53])('an expiry of %s is refused, as no wire form has it', (expiryMs) => {
  expect(() => stragglerMessage(GENESIS, row(0, 1, 5), { ...STRAGGLER, expiryMs })).toThrow('fit');
});
