/** What the end of an epoch cost, from the blocks around it. */
import type { Client } from '@slipstream/client';
import { median } from '../bench/claim.ts';

export interface BoundaryReport {
  /** Of the last block of the epoch. */
  readonly height: number;
  /** Views between the last block of an epoch and the first one of the next. */
  readonly viewsLost: number;
  /** Views without a block, from SEAL_BLOCKS before the boundary, or from the first block, to FOLLOWING_BLOCKS after it. */
  readonly viewsLostAround: number;
  /** Timestamp of the last block, ms since 1970. */
  readonly endedMs: number;
  /** From the time of the last block to the time of the next. */
  readonly gapMs: number;
}

export interface Views {
  readonly blocks: number;
  /** Median time between blocks. */
  readonly blockMs: number;
  /** Views without a block. */
  readonly lost: number;
}

const SEAL_BLOCKS = 12;
const FOLLOWING_BLOCKS = 4;
const PAGE = 100;

/** Throws when a block is missing. */
export async function readBoundary(client: Client, firstHeight: number): Promise<BoundaryReport> {
  const height = firstHeight - 1;
  const at = async (which: number) => (await client.block(which)).block;
  const [before, last, first, after] = await Promise.all(
    [Math.max(1, height - SEAL_BLOCKS), height, firstHeight, firstHeight + FOLLOWING_BLOCKS].map(at),
  );
  if (!(before && last && first && after)) throw new Error('a block is missing');
  return {
    height,
    viewsLost: first.view - last.view - 1,
    viewsLostAround: after.view - before.view - (after.height - before.height),
    endedMs: last.timestampMs,
    gapMs: first.timestampMs - last.timestampMs,
  };
}

/** Of the blocks from `fromHeight` on, without those around the boundaries. Throws when none are left. */
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
  if (steps.length === 0) throw new Error(`no block from ${fromHeight} on is away from a boundary`);
  return {
    blocks: steps.length,
    blockMs: median(steps.map(({ ms }) => ms)),
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
