/** Finality at the ends of epochs against elsewhere: by transaction and by block. */
import type { ClusterLoad } from '@slipstream/app-loadgen';
import type { Client } from '@slipstream/client';
import { type BoundaryReport, FOLLOWING_BLOCKS, SEAL_BLOCKS } from '../devnet/boundary.ts';

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

export interface Views {
  readonly blocks: number;
  /** Median time between blocks. */
  readonly blockMs: number;
  /** Views without a block. */
  readonly lost: number;
}

const PAGE = 100;

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

/** Of the blocks from `fromHeight` on, without those around the boundaries. */
export async function viewsElsewhere(
  client: Client,
  fromHeight: number,
  boundaries: readonly BoundaryReport[],
): Promise<Views> {
  const isAround = (height: number) =>
    boundaries.some((end) => height > end.height - SEAL_BLOCKS && height <= end.height + 1 + FOLLOWING_BLOCKS);
  const blocks = (await blocksFrom(client, fromHeight)).toSorted((a, b) => a.height - b.height);
  const steps = blocks.slice(1).flatMap((block, at) => {
    const parent = blocks[at];
    return parent === undefined || isAround(block.height)
      ? []
      : [{ ms: block.timestampMs - parent.timestampMs, lost: block.view - parent.view - 1 }];
  });
  return {
    blocks: steps.length,
    blockMs: quantile(
      steps.map(({ ms }) => ms),
      0.5,
    ),
    lost: steps.reduce((sum, { lost }) => sum + lost, 0),
  };
}

interface BlockPlace {
  readonly height: number;
  readonly view: number;
  readonly timestampMs: number;
}

async function blocksFrom(client: Client, fromHeight: number): Promise<readonly BlockPlace[]> {
  const found: BlockPlace[] = [];
  let cursor: string | undefined;
  do {
    const { items, next } = await client.blocks({ limit: PAGE, ...(cursor !== undefined && { cursor }) });
    found.push(...items.map(({ block }) => block));
    cursor = next ?? undefined;
  } while (cursor !== undefined && (found.at(-1)?.height ?? 0) > fromHeight);
  return found.filter(({ height }) => height >= fromHeight);
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
