/** docs/performance/units.md: what lies below a block's noise is measured in pairs, and no figure disappears silently. */
import { describe, expect, it } from 'vitest';
import { estimateOf, isMeasured, pairedUs } from '../../scripts/bench/calibration/paired.ts';
import { type Measurements, ratiosOf, unmeasuredOf, worstOf } from '../../scripts/bench/calibration/table.ts';
import { without } from '../../scripts/bench/calibration/writes.ts';

const exact = { bandwidth: 1, compute: 1, allocate: 1, disk: 1 };

function caseOf(write: number, bounds: { readonly low: number; readonly high: number }): Measurements[string] {
  return {
    cost: { ...exact, read: 1, write },
    bounds: { read: { low: 1, high: 1 }, write: bounds },
    units: [1, 1, 1, 1, 1],
  };
}

describe('measurements in pairs', () => {
  it('give the median of the differences, and the ranks that hold it in 95 of 100 samples', () => {
    const thirty = Array.from({ length: 30 }, (_, i) => 30 - i);
    expect(estimateOf(thirty)).toEqual({ value: 15.5, low: 9, high: 22 });
  });

  it('are not moved by a few pairs that something interrupted', () => {
    const calm = Array.from({ length: 30 }, (_, i) => 10 + (i % 3));
    const busy = calm.map((us, i) => (i % 10 === 0 ? us + 10_000 : us));
    expect(estimateOf(busy).value).toBe(estimateOf(calm).value);
    expect(isMeasured(estimateOf(busy))).toBe(true);
  });

  it('are no measurement when the bounds are more than a factor of two apart, or reach zero', () => {
    expect(isMeasured({ low: 1, high: 2 })).toBe(true);
    expect(isMeasured({ low: 1, high: 2.01 })).toBe(false);
    expect(isMeasured({ low: 0, high: 0 })).toBe(false);
    expect(isMeasured({ low: -1, high: -0.9 })).toBe(false);
  });

  it('do each of the two first in turns', async () => {
    const order: string[] = [];
    const differences = await pairedUs(
      2,
      () => order.push('with') + 10,
      () => order.push('without'),
    );
    expect(order).toEqual(['with', 'without', 'without', 'with']);
    expect(differences).toEqual([9, 11]);
  });
});

describe('the worst ratio', () => {
  it('is of what was measured, and the rest is named', () => {
    const cases = {
      one: caseOf(1, { low: 0.9, high: 1.1 }),
      four: caseOf(4, { low: 3.9, high: 4.1 }),
      noise: caseOf(0.001, { low: -1, high: 1 }),
    };
    expect(worstOf(cases, 'write')).toBe(2);
    expect([...ratiosOf(cases, 'write').keys()]).toEqual(['one', 'four']);
    expect(unmeasuredOf(cases, 'write')).toEqual(['noise']);
  });

  it('proves nothing without a measurement', () => {
    expect(worstOf({ noise: caseOf(0.001, { low: -1, high: 1 }) }, 'write')).toBe(Number.POSITIVE_INFINITY);
  });

  it('counts what costs and pays nothing', () => {
    const free = { ...caseOf(1, { low: 1, high: 1 }), units: [1, 1, 1, 0, 1] };
    expect(worstOf({ free, other: caseOf(1, { low: 1, high: 1 }) }, 'allocate')).not.toBeLessThanOrEqual(2);
  });
});

describe('what a block does by itself', () => {
  it('is in no cost of its transactions, once for each time that it does it', () => {
    const of = (...names: readonly number[]) => names.map((name) => ({ key: Uint8Array.of(name) }));
    expect(without(of(1, 2, 2, 3), of(2, 4))).toEqual(of(1, 2, 3));
  });
});
