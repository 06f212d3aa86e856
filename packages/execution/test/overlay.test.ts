/** Balances that stay numbers in an overlay read as the bytes that the state holds. */
import { toHex } from '@slipstream/primitives';
import { ed25519Account } from '@slipstream/types';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeBalance, encodeBalance } from '../src/account-value.ts';
import { createBlockKeys } from '../src/block-keys.ts';
import { createBlockOverlay } from '../src/overlay.ts';
import { accountStateKey, copyThrough } from '../src/state-keys.ts';
import { writesOf } from '../src/write-columns.ts';

const keys = [1, 2, 3].map((fill) => accountStateKey(ed25519Account(new Uint8Array(32).fill(fill))));
/** The first byte of an account's key. */
const ACCOUNT_TAG = 0x61;
const key = fc.constantFrom(...keys);
const balance = fc.constantFrom(0n, 1n, 7n, 2n ** 64n - 1n);
const step = fc.oneof(
  fc.record({ act: fc.constantFrom('set' as const, 'check' as const), key, balance }),
  fc.record({ act: fc.constantFrom('keep' as const, 'undo' as const, 'merge' as const) }),
);
const state = new Map([[keys[0]?.text, encodeBalance(7n)]]);
const read = (bytes: Uint8Array) => state.get(Buffer.from(bytes).toString('hex'));

const overlayOf = (of: typeof read) =>
  createBlockOverlay({ read: of, copy: copyThrough(of) }, createBlockKeys(new Uint8Array(8)));

describe('overlay', () => {
  it('gives the same for balances set as numbers and as bytes, at each step and at the end', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const blocks = [overlayOf(read), overlayOf(read)] as const;
        let [numbers, bytes] = [blocks[0].begin(), blocks[1].begin()];
        for (const each of steps) {
          if (each.act === 'set') {
            numbers.setBalance(each.key, each.balance);
            bytes.set(each.key, encodeBalance(each.balance));
          } else if (each.act === 'check') {
            expect(numbers.get(each.key)).toEqual(bytes.get(each.key));
            expect(numbers.balance(each.key)).toBe(decodeBalance(bytes.get(each.key)));
            expect(blocks[0].get(each.key)).toEqual(blocks[1].get(each.key));
          } else {
            for (const overlay of [numbers, bytes]) overlay[each.act]();
            if (each.act === 'merge') [numbers, bytes] = [blocks[0].begin(), blocks[1].begin()];
          }
          expect(numbers.allocatedBytes()).toBe(bytes.allocatedBytes());
        }
        numbers.merge();
        bytes.merge();
        expect(blocks[0].writtenUnder(ACCOUNT_TAG)).toEqual(blocks[1].writtenUnder(ACCOUNT_TAG));
        expect(blocks[0].batch()).toEqual(blocks[1].batch());
      }),
      { numRuns: 1_000 },
    );
  });

  it('writes each key once, at its last writer: transaction order, then key order', () => {
    const write = fc.record({ key, balance });
    fc.assert(
      fc.property(fc.array(fc.array(write, { maxLength: 4 }), { maxLength: 10 }), (transactions) => {
        const overlay = overlayOf(read);
        // A Map keeps the order of insertion: what is written again is taken out and put at its end.
        const expected = new Map<string, bigint>();
        const before = (text: string) => expected.get(text) ?? decodeBalance(state.get(text));
        for (const writes of transactions) {
          const scratch = overlay.begin();
          for (const each of writes) scratch.setBalance(each.key, each.balance);
          scratch.merge();
          const last = new Map(writes.map((each) => [each.key.text, each.balance]));
          for (const [text, value] of [...last].sort(([a], [b]) => (a < b ? -1 : 1))) {
            if (value === before(text)) continue;
            expected.delete(text);
            expected.set(text, value);
          }
        }
        const batch = writesOf(overlay.batch()).map((each) => [toHex(each.key), decodeBalance(each.value)]);
        expect(batch).toEqual([...expected].filter(([text, value]) => value > 0n || state.has(text)));
      }),
      { numRuns: 1_000 },
    );
  });
});
