/** Quantiles of measurements, in bounded memory: beyond the maximum, a random sample of all. */

export interface Quantiles {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

export interface Samples {
  add(value: number): void;
  /** Null without any measurement. */
  quantiles(): Quantiles | null;
}

const KEPT_MAX = 100_000;

export function createSamples(): Samples {
  const kept: number[] = [];
  let seen = 0;
  return {
    add(value) {
      seen += 1;
      if (kept.length < KEPT_MAX) kept.push(value);
      else if (Math.random() < KEPT_MAX / seen) kept[Math.floor(Math.random() * KEPT_MAX)] = value;
    },
    quantiles() {
      if (kept.length === 0) return null;
      const sorted = kept.toSorted((a, b) => a - b);
      return { p50: quantile(sorted, 0.5), p95: quantile(sorted, 0.95), p99: quantile(sorted, 0.99) };
    },
  };
}

/** Nearest rank, of sorted values; rounded to a tenth. */
export function quantile(sorted: readonly number[], q: number): number {
  const value = sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? 0;
  return Math.round(value * 10) / 10;
}
