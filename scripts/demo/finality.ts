/** Finality of transactions at the ends of epochs against elsewhere. */
import type { ClusterLoad } from '@slipstream/app-loadgen';
import type { BoundaryReport } from '../devnet/boundary.ts';

interface Sample {
  /** ms since 1970. */
  readonly finalAtMs: number;
  /** From the time when it was to be sent. */
  readonly tookMs: number;
}

export interface FinalitySamples {
  /** Transactions on their way while the boundary and the block after it were made, and all others. */
  around(boundaries: readonly BoundaryReport[]): { readonly at: Spread; readonly elsewhere: Spread };
  stop(): void;
}

export interface Spread {
  readonly transactions: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export function sampleFinality({ sent }: Pick<ClusterLoad, 'sent'>): FinalitySamples {
  const samples: Sample[] = [];
  const stop = sent.onLatency((stage, tookMs) => {
    if (stage === 'final') samples.push({ finalAtMs: Date.now(), tookMs });
  });
  return {
    around(boundaries) {
      const isAt = ({ finalAtMs, tookMs }: Sample) =>
        boundaries.some(({ endedMs, gapMs }) => finalAtMs >= endedMs && finalAtMs - tookMs <= endedMs + gapMs);
      return {
        at: spreadOf(samples.filter(isAt)),
        elsewhere: spreadOf(samples.filter((sample) => !isAt(sample))),
      };
    },
    stop,
  };
}

function spreadOf(samples: readonly Sample[]): Spread {
  const took = samples.map(({ tookMs }) => tookMs);
  return { transactions: took.length, p50Ms: quantile(took, 0.5), p99Ms: quantile(took, 0.99) };
}

/** Nearest rank, in whole ms; 0 of none. */
function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? 0);
}
