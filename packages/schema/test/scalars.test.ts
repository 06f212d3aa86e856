import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Amount, createCheck } from '../src/index.ts';

const check = createCheck(Amount);

describe('an amount', () => {
  it('is any number of up to 64 bits, in decimal', () => {
    const max = 2n ** 64n - 1n;
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 4n * max }), (value) => {
        expect(check(value.toString()).ok).toBe(value <= max);
      }),
    );
    for (const near of [0n, 1n, 9n, 10n, max - 1n, max]) expect(check(near.toString()).ok).toBe(true);
    for (const above of [max + 1n, max + 10n, 10n ** 20n]) expect(check(above.toString()).ok).toBe(false);
    for (const text of ['', '-1', '01', '1.0', ' 1', '0x1']) expect(check(text).ok).toBe(false);
  });
});
