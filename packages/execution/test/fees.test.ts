import { type FeeParameters, feeOf } from '@slipstream/types';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeFees, FREE_FEES, feesAfterBlock, initialFees, METERED_FEES, readFees } from '../src/index.ts';

const U64_MAX = 2n ** 64n - 1n;
const U53_MAX = Number.MAX_SAFE_INTEGER;

const price = fc.oneof(fc.bigInt(0n, U64_MAX), fc.constantFrom(0n, 1n, 7n, 8n, U64_MAX));
const units = fc.oneof(fc.nat(U53_MAX), fc.constantFrom(0, 1, U53_MAX));
const five = <T>(one: fc.Arbitrary<T>) => fc.array(one, { minLength: 5, maxLength: 5 });

const parameters: fc.Arbitrary<FeeParameters> = fc.record({
  initialPrices: five(price),
  minimumPrices: five(price),
  targets: five(units),
  limits: five(units),
  windowBlocks: fc.integer({ min: 1, max: 3 }),
});

describe('fees', () => {
  it('sums units times prices exactly, beyond 64 bits too', () => {
    fc.assert(
      fc.property(five(units), five(price), (u, p) => {
        const sum = u.reduce((total, unit, i) => total + BigInt(unit) * (p[i] as bigint), 0n);
        expect(feeOf(u, p)).toBe(sum);
      }),
    );
  });

  it('moves a price by at most an eighth, at least one, never to below the minimum nor above 64 bits', () => {
    fc.assert(
      fc.property(parameters, five(price), five(units), (rules, prices, used) => {
        const start = { prices, used: [0n, 0n, 0n, 0n, 0n] };
        const after = feesAfterBlock(start, used, rules.windowBlocks, rules);
        for (const [i, before] of prices.entries()) {
          const now = after.prices[i] as bigint;
          const minimum = rules.minimumPrices[i] as bigint;
          if (rules.initialPrices[i] === 0n && minimum === 0n) {
            expect(now).toBe(0n);
            continue;
          }
          const step = before / 8n > 1n ? before / 8n : 1n;
          expect(now).toBeLessThanOrEqual(before + step);
          expect(now).toBeLessThanOrEqual(U64_MAX);
          if (before < minimum) {
            // A new epoch raised the minimum.
            expect(now).toBe(before + step < minimum ? before + step : minimum);
            continue;
          }
          const goal = BigInt(rules.targets[i] as number) * BigInt(rules.windowBlocks);
          if (BigInt(used[i] as number) > goal) expect(now > before || before === U64_MAX).toBe(true);
          if (BigInt(used[i] as number) === goal) expect(now).toBe(before);
          if (BigInt(used[i] as number) < goal) expect(now).toBeGreaterThanOrEqual(minimum);
        }
      }),
    );
  });

  it('never exceeds the bound of a life of k windows: k times p + max(1, floor(p / 8))', () => {
    fc.assert(
      fc.property(fc.bigInt(1n, 2n ** 40n), fc.integer({ min: 1, max: 20 }), (p, windows) => {
        const rules: FeeParameters = { ...METERED_FEES, windowBlocks: 1 };
        let state = { prices: [p, p, p, p, p], used: [0n, 0n, 0n, 0n, 0n] };
        let bound = p;
        for (let height = 1; height <= windows; height++) {
          state = {
            ...feesAfterBlock(state, [U53_MAX, U53_MAX, U53_MAX, U53_MAX, U53_MAX], height, rules),
          } as typeof state;
          bound += bound / 8n > 1n ? bound / 8n : 1n;
          expect(state.prices[0]).toBeLessThanOrEqual(bound);
        }
      }),
    );
  });

  it('stores prices within a window and sums its units', () => {
    const first = feesAfterBlock(initialFees(METERED_FEES), [1, 2, 3, 4, 5], 1, METERED_FEES);
    const second = feesAfterBlock(first, [1, 1, 1, 1, 1], 2, METERED_FEES);
    expect(second).toEqual({ prices: METERED_FEES.initialPrices, used: [2n, 3n, 4n, 5n, 6n] });
    const third = feesAfterBlock(second, [0, 0, 0, 0, 0], METERED_FEES.windowBlocks, METERED_FEES);
    expect(third.used).toEqual([0n, 0n, 0n, 0n, 0n]);
    expect(third.prices).not.toEqual(METERED_FEES.initialPrices);
  });

  it('stays free when genesis sets initial and minimum prices to zero', () => {
    const rules = { ...FREE_FEES, windowBlocks: 1 };
    const after = feesAfterBlock(initialFees(rules), rules.limits, 1, rules);
    expect(after.prices).toEqual([0n, 0n, 0n, 0n, 0n]);
  });

  it('reads back its own encoding, and rejects a value of another length', () => {
    const state = { prices: [1n, 2n, 3n, 4n, U64_MAX], used: [0n, U64_MAX, 0n, 9n, 1n] };
    expect(readFees(() => encodeFees(state), METERED_FEES)).toEqual(state);
    expect(readFees(() => undefined, METERED_FEES)).toEqual(initialFees(METERED_FEES));
    expect(() => readFees(() => new Uint8Array(3), METERED_FEES)).toThrow('80 bytes');
  });
});
