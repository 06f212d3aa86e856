/** Numbers of keys follow from the order of their first use, whatever the secret and what the memory held before. */
import { compareBytes, toHex } from '@slipstream/primitives';
import { ed25519Account } from '@slipstream/types';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BlockKeys, createBlockKeys } from '../src/block-keys.ts';
import { createBlockMemory } from '../src/block-memory.ts';
import { executeBlock, METERED_FEES } from '../src/index.ts';
import { accountStateKey, type StateKey, stateKey } from '../src/state-keys.ts';
import { blockOn, chain, genesis, transaction, transfer } from './builders.ts';

const account = fc
  .uint8Array({ minLength: 32, maxLength: 32, max: 2 })
  .map((bytes) => accountStateKey(ed25519Account(bytes)));
/** Few bytes, so that keys repeat, begin each other, and end in zeros. */
const other = fc.uint8Array({ minLength: 1, maxLength: 6, max: 1 }).map(stateKey);
const longest = fc.uint8Array({ minLength: 62, maxLength: 62, max: 1 }).map(stateKey);
const someKeys = fc.array(fc.oneof(account, other, longest), { maxLength: 60 });
const secret = fc.uint8Array({ minLength: 8, maxLength: 8 });

function checkNumbers(keys: BlockKeys, used: readonly StateKey[]): void {
  const expected = new Map<string, number>();
  for (const key of used) {
    if (!expected.has(key.text)) expected.set(key.text, expected.size);
    expect(keys.numberOf(key)).toBe(expected.get(key.text));
  }
  expect(keys.count).toBe(expected.size);
  for (const key of used) {
    const number = keys.numberOf(key);
    const copy = new Uint8Array(keys.bytesOf(number) + 1);
    expect(keys.copy(number, copy, 1)).toBe(copy.length);
    expect(toHex(copy.subarray(1))).toBe(key.text);
    expect(keys.kindOf(number)).toBe(key.bytes[0]);
  }
}

describe('numbers of keys', () => {
  it('count distinct keys, block after block, and order them like their bytes', () => {
    fc.assert(
      fc.property(fc.array(someKeys, { minLength: 1, maxLength: 3 }), secret, (blocks, hashKey) => {
        const keys = createBlockKeys(hashKey);
        for (const used of blocks) {
          checkNumbers(keys, used);
          for (const a of used.slice(0, 8)) {
            for (const b of used.slice(0, 8)) {
              const order = keys.compare(keys.numberOf(a), keys.numberOf(b));
              expect(Math.sign(order)).toBe(Math.sign(compareBytes(a.bytes, b.bytes)));
            }
          }
          keys.clear();
        }
      }),
    );
  });

  it('stay as they are while the columns grow, and a small block follows a large one', () => {
    const keys = createBlockKeys(new Uint8Array(8).fill(9));
    const many = Array.from({ length: 40_000 }, (_, i) => stateKey(Uint8Array.of(i, i >> 8, i >> 16)));
    const numbers = many.map((_, number) => number);
    expect(many.map(keys.numberOf)).toEqual(numbers);
    expect(many.map(keys.numberOf)).toEqual(numbers);
    keys.clear();
    checkNumbers(keys, many.slice(7, 20));
  });
});

describe('memory of a block', () => {
  it('is used again without a trace', () => {
    const on = chain(genesis({ 1: 10_000_000n, 2: 10_000_000n }, METERED_FEES));
    const memory = createBlockMemory(new Uint8Array(8).fill(1));
    const step = fc.record({
      from: fc.integer({ min: 1, max: 4 }),
      to: fc.integer({ min: 1, max: 300 }),
      salt: fc.nat(3),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        const transactions = steps.map(({ from, to, salt }) =>
          transaction({ from, actions: [transfer(to, 5n)], maxFee: 5_000n, salt }),
        );
        const block = blockOn(on, [{ epoch: 0, producer: 0, transactions }]);
        expect(executeBlock({ ...block, memory })).toEqual(executeBlock(block));
      }),
    );
  });
});
