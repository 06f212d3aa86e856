import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeBatch, encodeBatch } from '../src/index.ts';

describe('a batch as bytes', () => {
  it('reads back as it was written', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 20 }), (transactions) => {
        expect(decodeBatch(encodeBatch(transactions), 20)).toEqual({ ok: true, value: transactions });
      }),
    );
  });

  it('never throws on any bytes, and is never read beyond them', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.constantFrom(0x00, 0x01, 0x81), (bytes, first) => {
        const batch = Uint8Array.of(first, ...bytes);
        const decoded = decodeBatch(batch, 1000);
        expect(decoded.ok && first !== 0x01).toBe(false);
        if (decoded.ok) {
          const total = decoded.value.reduce((sum, { length }) => sum + 4 + length, 1);
          expect(total).toBe(batch.length);
        }
      }),
    );
  });

  it('is read up to the maximum number of transactions: an empty one takes four bytes only', () => {
    const empty = (count: number) => Array.from({ length: count }, () => new Uint8Array(0));
    expect(decodeBatch(encodeBatch(empty(3)), 3)).toEqual({ ok: true, value: empty(3) });
    // What follows is not looked at: it would be cut short.
    const more = Uint8Array.of(...encodeBatch(empty(3)), 1);
    expect(decodeBatch(more, 3)).toEqual({ ok: false, error: 'holds more than 3 transactions' });
  });
});
