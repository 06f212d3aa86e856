/** What the end of an epoch cost, from the blocks around it. */
import type { Client } from '@slipstream/client';

export interface BoundaryReport {
  /** Of the last block of the epoch. */
  readonly height: number;
  /** Views between the last block of an epoch and the first one of the next. */
  readonly viewsLost: number;
  /** Views without a block, from SEAL_BLOCKS before the boundary to FOLLOWING_BLOCKS after it. */
  readonly viewsLostAround: number;
  /** Timestamp of the last block, ms since 1970. */
  readonly endedMs: number;
  /** From the time of the last block to the time of the next. */
  readonly gapMs: number;
}

export const SEAL_BLOCKS = 12;
export const FOLLOWING_BLOCKS = 4;

/** Throws when a block is missing. */
export async function readBoundary(client: Client, firstHeight: number): Promise<BoundaryReport> {
  const height = firstHeight - 1;
  const at = async (which: number) => (await client.block(which)).block;
  const [before, last, first, after] = await Promise.all(
    [height - SEAL_BLOCKS, height, firstHeight, firstHeight + FOLLOWING_BLOCKS].map(at),
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
