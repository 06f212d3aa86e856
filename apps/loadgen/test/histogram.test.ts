import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createHistogram } from '../src/measure/histogram.ts';

const durations = fc.array(fc.double({ min: 0, max: 3_000_000, noNaN: true }), { minLength: 1, maxLength: 300 });
const quantile = fc.constantFrom(0, 0.25, 0.5, 0.95, 0.99, 1);

function exact(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(1, Math.ceil(q * sorted.length)) - 1] as number;
}

test('a quantile is never below the exact one, and at most one part in 128 and a microsecond above it', () => {
  fc.assert(
    fc.property(durations, quantile, (values, q) => {
      const histogram = createHistogram();
      for (const value of values) histogram.add(value);
      const kept = histogram.quantileMs(q);
      const rounding = 1e-9 * Math.max(1, exact(values, q));
      expect(kept).toBeGreaterThanOrEqual(exact(values, q) - rounding);
      expect(kept).toBeLessThanOrEqual(exact(values, q) * (1 + 1 / 128) + 0.001 + rounding);
    }),
  );
});

test('merging two histograms gives the histogram of all values', () => {
  fc.assert(
    fc.property(durations, durations, quantile, (first, second, q) => {
      const [merged, other, whole] = [createHistogram(), createHistogram(), createHistogram()];
      for (const value of first) merged.add(value);
      for (const value of second) other.add(value);
      for (const value of [...first, ...second]) whole.add(value);
      merged.merge(other);
      expect(merged.quantileMs(q)).toBe(whole.quantileMs(q));
      expect(merged.count).toBe(first.length + second.length);
      expect(merged.maxMs).toBe(whole.maxMs);
    }),
  );
});

test('without a value there are no quantiles', () => {
  expect(createHistogram().quantiles()).toBeNull();
});
