/** Finality of transactions at the ends of epochs against elsewhere. */
import type { ClusterLoad } from '@slipstream/app-loadgen';
import { quantile } from '../bench/claim.ts';
import type { BoundaryReport } from '../devnet/boundary.ts';

interface Sample {
  /** ms since 1970. */
  readonly finalAtMs: number;
  /** From the time when it was to be sent. */
  readonly tookMs: number;
}

export interface FinalitySamples {
  /** Transactions sent from BEFORE_MS before a boundary to the block after it, and all others. */
  around(boundaries: readonly BoundaryReport[]): { readonly at: Spread; readonly elsewhere: Spread };
  stop(): void;
}

export interface Spread {
  readonly transactions: number;
  /** Whole ms; null of none. */
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
}

/**
 * Twice what most take. By the time of sending, as those that are under way at some moment are mostly slow ones: a transaction that takes ten
 * times as long is ten times as likely among them.
 */
const BEFORE_MS = 1_000;

export function sampleFinality({ sent }: Pick<ClusterLoad, 'sent'>): FinalitySamples {
  const samples: Sample[] = [];
  const stop = sent.onLatency((stage, tookMs) => {
    if (stage === 'final') samples.push({ finalAtMs: Date.now(), tookMs });
  });
  return {
    around(boundaries) {
      const isAt = ({ finalAtMs, tookMs }: Sample) => {
        const sentMs = finalAtMs - tookMs;
        return boundaries.some(({ endedMs, gapMs }) => sentMs >= endedMs - BEFORE_MS && sentMs <= endedMs + gapMs);
      };
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
  const at = (share: number) => (took.length === 0 ? null : Math.round(quantile(took, share)));
  return { transactions: took.length, p50Ms: at(0.5), p99Ms: at(0.99) };
}
