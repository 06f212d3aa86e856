/** Quantiles of the samples of the last minute. Their number is bounded: a burst replaces the oldest. */
const WINDOW_MS = 60_000;
const SAMPLES_MAX = 4096;

export interface Quantiles {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

interface SlidingSamples {
  add(nowMs: number, value: number): void;
  quantiles(nowMs: number): Quantiles | null;
  /** Oldest first. */
  values(nowMs: number): readonly number[];
}

/** The smallest sample that a share q of all do not exceed. */
function quantileOf(sorted: readonly number[], q: number): number {
  return sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)] ?? 0;
}

export function createSlidingSamples(): SlidingSamples {
  const samples: { readonly atMs: number; readonly value: number }[] = [];
  function values(nowMs: number): readonly number[] {
    while (samples[0] && samples[0].atMs < nowMs - WINDOW_MS) samples.shift();
    return samples.map(({ value }) => value);
  }

  return {
    values,
    add(nowMs, value) {
      samples.push({ atMs: nowMs, value });
      if (samples.length > SAMPLES_MAX) samples.shift();
    },
    quantiles(nowMs) {
      const sorted = values(nowMs).toSorted((a, b) => a - b);
      if (sorted.length === 0) return null;
      return { p50: quantileOf(sorted, 0.5), p95: quantileOf(sorted, 0.95), p99: quantileOf(sorted, 0.99) };
    },
  };
}
