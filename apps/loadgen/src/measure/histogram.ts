/**
 * Histogram of durations with bounded memory and error (after HdrHistogram: Tene, 2012).
 *
 * Buckets are linear within an octave: a value has a relative error of 1/128, from a microsecond to an hour, in 28 kB. A
 * quantile is the upper edge of its bucket, so it is never understated.
 */

export interface Quantiles {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

export interface Histogram {
  add(valueMs: number): void;
  merge(other: Histogram): void;
  readonly count: number;
  /** Exact; 0 without values. */
  readonly maxMs: number;
  /** Nearest rank; at most 1/128 above the exact value. 0 without values. */
  quantileMs(q: number): number;
  /** ms, rounded to a tenth; null without values. */
  quantiles(): Quantiles | null;
  /** Counts by bucket, for merging. */
  readonly buckets: Float64Array;
}

/** Linear steps per octave: the relative error is 1/STEPS. */
const STEPS = 128;
const STEP_BITS = 7;
const US_MAX = 3.6e9;
const BUCKETS = indexOf(US_MAX) + 1;

export function createHistogram(): Histogram {
  const buckets = new Float64Array(BUCKETS);
  let count = 0;
  let maxMs = 0;

  function quantileMs(q: number): number {
    if (count === 0) return 0;
    const rank = Math.max(1, Math.ceil(q * count));
    let seen = 0;
    for (let index = 0; index < BUCKETS; index++) {
      seen += buckets[index] as number;
      if (seen >= rank) return Math.min(maxMs, upperEdge(index) / 1_000);
    }
    return maxMs;
  }

  const tenth = (value: number) => Math.round(value * 10) / 10;
  return {
    buckets,
    quantileMs,
    get count() {
      return count;
    },
    get maxMs() {
      return maxMs;
    },
    add(valueMs) {
      const us = Math.min(US_MAX, Math.max(0, Math.ceil(valueMs * 1_000)));
      const index = indexOf(us);
      buckets[index] = (buckets[index] as number) + 1;
      count += 1;
      maxMs = Math.max(maxMs, valueMs);
    },
    merge(other) {
      for (const [index, more] of other.buckets.entries()) buckets[index] = (buckets[index] as number) + more;
      count += other.count;
      maxMs = Math.max(maxMs, other.maxMs);
    },
    quantiles: () =>
      count === 0 ? null : { p50: tenth(quantileMs(0.5)), p95: tenth(quantileMs(0.95)), p99: tenth(quantileMs(0.99)) },
  };
}

/** Exact below 2 x STEPS; above, STEPS buckets per octave. */
function indexOf(us: number): number {
  if (us < 2 * STEPS) return us;
  const octave = Math.floor(Math.log2(us)) - STEP_BITS;
  return octave * STEPS + Math.floor(us / 2 ** octave);
}

function upperEdge(index: number): number {
  if (index < 2 * STEPS) return index;
  const octave = Math.floor(index / STEPS) - 1;
  return (index - octave * STEPS + 1) * 2 ** octave - 1;
}
